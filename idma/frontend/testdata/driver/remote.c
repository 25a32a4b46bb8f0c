#include "remote.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long accesses, failures;
static const char *name = "none";

static void lost(void) {
  fprintf(stderr, "the other side is gone\n");
  exit(3);
}

static void send(void) {
  if (fflush(stdout) != 0) {
    lost();
  }
}

static uint64_t answer(void) {
  uint64_t value;
  if (scanf("%" SCNx64, &value) != 1) {
    lost();
  }
  return value;
}

uint64_t remote_read(uintptr_t address, unsigned bytes) {
  accesses++;
  printf("read %" PRIxPTR " %u\n", address, bytes);
  send();
  return answer();
}

void remote_write(uintptr_t address, unsigned bytes, uint64_t word) {
  accesses++;
  printf("write %" PRIxPTR " %u %" PRIx64 "\n", address, bytes, word);
  send();
  answer();
}

void remote_put(uint64_t address, const void *data, size_t bytes) {
  size_t i;
  printf("put %" PRIx64 " ", address);
  for (i = 0; i < bytes; i++) {
    printf("%02x", ((const unsigned char *)data)[i]);
  }
  printf("\n");
  send();
  answer();
}

void remote_get(uint64_t address, void *data, size_t bytes) {
  size_t i;
  printf("get %" PRIx64 " %zu\n", address, bytes);
  send();
  for (i = 0; i < bytes; i++) {
    unsigned byte;
    if (scanf("%2x", &byte) != 1) {
      lost();
    }
    ((unsigned char *)data)[i] = (unsigned char)byte;
  }
}

unsigned long remote_accesses(void) { return accesses; }

void test(const char *next) {
  name = next;
  printf("test %s\n", name);
  send();
}

void check_at(int holds, const char *condition, const char *file, int line) {
  if (!holds) {
    failures++;
    printf("fail %s: %s:%d: %s\n", name, file, line, condition);
    send();
  }
}

int tests_end(void) {
  printf("end %lu\n", failures);
  send();
  return failures != 0;
}

uint32_t any(uint32_t below) {
  static uint32_t state = 2463534242u;
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state % below;
}
