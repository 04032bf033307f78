# SPDX-License-Identifier: BSD-2-Clause
# dom0's part of arm.t: a guest of each kind and mode, all recorded at once.

type=pvh
while read -r name kernel work; do
	guest_start "$name" "$kernel.img" 2 "work=$work others=idle" < /dev/null
done <<-END
	4k arm64-4k shares
	16k arm64-16k shares
	64k arm64-64k recursion
	flat64 arm64-flat levels
	user64 arm64-user levels
	lpae arm32-lpae shares
	short arm32-short recursion
	flat32 arm32-flat levels
	user32 arm32-user levels
	clang clang-arm32-short levels
	thumb clang-arm32-thumb shares
END
uniprof-record --list > /out/list
uniprof-record -F 1000 -d 100 -o /out/all.upf 4k 16k 64k flat64 user64 lpae short flat32 user32 clang thumb 2> /out/all.err
echo $? > /out/all.rc
