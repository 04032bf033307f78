/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of its own in each unit, which the units inline or call. */
struct shared {
	int a;
};
extern volatile int sink;
#ifdef __cplusplus
namespace outer
{
template <typename T> struct box {
	T value;
};
enum color { RED, GREEN };
namespace
{
struct hidden {
	int x;
	int method(long n) const;
	void change(unsigned short n);
	static int fixed(unsigned char);
};
int overloaded(int n, const shared *s)
{
	for (int i = 0; i < n; i++)
		sink += i + s->a;
	return sink;
}
int overloaded(unsigned long n, hidden &h, bool b)
{
	for (unsigned long i = 0; i < n; i++)
		sink += (int)i * 2 + h.x + b;
	return sink;
}
int hidden::method(long n) const
{
	for (long i = 0; i < n; i++)
		sink += (int)i ^ x;
	return sink;
}
void hidden::change(unsigned short n)
{
	for (int i = 0; i < n; i++)
		sink += x += i;
}
int hidden::fixed(unsigned char c)
{
	for (int i = 0; i < c; i++)
		sink += i + 1;
	return sink;
}
template <typename T> T twice(T n)
{
	for (int i = 0; i < (int)n; i++)
		sink += i + 7;
	return n * 2;
}
} // namespace
} // namespace outer
static int of_types(int (*f)(int, const shared *), const char *const *names, outer::box<int> &&b, outer::color c,
                    volatile short *v, long long l, void *p, double d, ...)
{
	for (int i = 0; i < c + *v; i++)
		sink += i + b.value + **names + f(i, nullptr) + (int)l + (p == names) + (int)d;
	return sink;
}
#endif
static int plain(const struct shared *s, int n)
{
	for (int i = 0; i < n; i++)
		sink += i - s->a;
	return sink;
}
