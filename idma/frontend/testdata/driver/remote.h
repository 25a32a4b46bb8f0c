/* Registers and memory of a design that is simulated elsewhere, reached over standard input and output:
 * a line asks, a line answers. */
#ifndef REMOTE_H
#define REMOTE_H

#include <stddef.h>
#include <stdint.h>

#define REGISTER_READ32(address) ((uint32_t)remote_read((address), 4))
#define REGISTER_WRITE32(address, word) remote_write((address), 4, (word))
#define REGISTER_READ64(address) remote_read((address), 8)
#define REGISTER_WRITE64(address, word) remote_write((address), 8, (word))

uint64_t remote_read(uintptr_t address, unsigned bytes);
void remote_write(uintptr_t address, unsigned bytes, uint64_t word);
void remote_put(uint64_t address, const void *data, size_t bytes);
void remote_get(uint64_t address, void *data, size_t bytes);
unsigned long remote_accesses(void);

/* test begins a test, which is over with the next one, and check is one of its conditions. */
void test(const char *name);
#define check(condition) check_at((condition) != 0, #condition, __FILE__, __LINE__)
void check_at(int holds, const char *condition, const char *file, int line);
int tests_end(void);

/* Pseudorandom, the same in each run. */
uint32_t any(uint32_t below);

#endif
