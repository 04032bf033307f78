/* SPDX-License-Identifier: BSD-2-Clause */
/* What inlining makes of C++: templates, lambdas, a class of a namespace without a name, constructors, cold parts. */
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct shape {
	virtual ~shape() = default;
	virtual double area() const = 0;
};

template <typename T> struct square : shape {
	T side;
	explicit square(T s) : side(s) {}
	double area() const override { return static_cast<double>(side * side); }
};

struct circle : shape {
	double radius;
	explicit circle(double r) : radius(r)
	{
		if (r < 0)
			throw std::invalid_argument("radius");
	}
	double area() const override { return 3 * radius * radius; }
};

inline int clamp(int value) { return std::min(std::max(value, 0), 1000); }

}

namespace sums {

template <typename Range, typename Function> __attribute__((noinline)) auto sum(const Range &range, Function f)
{
	double total = 0;

	for (const auto &item : range)
		total += f(item);
	return total;
}

int operator%(const std::string &a, const std::vector<int> &b) { return static_cast<int>(a.size() + b.size()); }

}

static __attribute__((noinline)) std::map<std::string, int> count(const std::vector<std::string> &words)
{
	std::map<std::string, int> n;

	for (const auto &word : words)
		n[word] = clamp(n[word] + 1);
	return n;
}

int main(int argc, char **argv)
{
	std::vector<std::unique_ptr<shape>> shapes;
	std::vector<std::string> words(argv, argv + argc);
	std::vector<int> numbers;

	for (int i = 0; i < argc * 7; i++) {
		numbers.push_back(clamp(i * 31 % 17));
		if (i % 2)
			shapes.push_back(std::make_unique<square<int>>(i));
		else
			shapes.push_back(std::make_unique<circle>(i - 1));
	}
	std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return a > b; });
	for (const auto &[word, n] : count(words))
		printf("%s %d\n", word.c_str(), n);
	using namespace sums;
	printf("%f %d\n", sum(shapes, [](const auto &s) { return s->area(); }), words[0] % numbers);
	return numbers.empty();
}
