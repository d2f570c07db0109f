// Marks a loop that is compiled once for each kind of processor, with wider registers where there are some. The best
// version is picked when the library is loaded. All give the same bits.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__)
#define FOR_EACH_PROCESSOR [[gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define FOR_EACH_PROCESSOR
#endif
