/* Tests of the driver of the descriptor front-end, whose registers are at address 0. */
#include <string.h>

#include "idma_desc.h"
#include "remote.h"

#define WINDOW 0x4000
#define SRC UINT64_C(0x100000)
#define DST UINT64_C(0x200000)
#define POOL UINT64_C(0x300000)
#define FAULTY UINT64_C(0x800000)
#define DESCS 64

static struct idma_desc pool[DESCS];
static unsigned char source[WINDOW], target[WINDOW], expected[WINDOW];

static uint64_t address_of(unsigned i) { return POOL + i * sizeof pool[0]; }

static void flush(void) { remote_put(POOL, pool, sizeof pool); }

static int ended(unsigned i) {
  remote_get(address_of(i), &pool[i], sizeof pool[i]);
  return idma_desc_ended(&pool[i]);
}

static void begin(void) {
  remote_get(SRC, source, WINDOW);
  remote_get(DST, target, WINDOW);
  memcpy(expected, target, WINDOW);
}

static void compare(void) {
  remote_get(DST, target, WINDOW);
  check(memcmp(target, expected, WINDOW) == 0);
}

static void chains(void) {
  unsigned order[DESCS], n, i, round;
  test("chains through memory in any order");
  for (round = 0; round < 6; round++) {
    begin();
    n = 1 + any(DESCS);
    for (i = 0; i < DESCS; i++) {
      order[i] = i;
    }
    for (i = 0; i < DESCS && round % 2 != 0; i++) { /* every other chain jumps about */
      unsigned j = any(DESCS), keep = order[i];
      order[i] = order[j];
      order[j] = keep;
    }
    for (i = 0; i < n; i++) {
      uint32_t length = 1 + any(200), src = any(WINDOW - 200), dst = i * 250;
      idma_desc_copy(&pool[order[i]], DST + dst, SRC + src, length, IDMA_DESC_COPY | (any(2) ? IDMA_DESC_DECOUPLE_RW : 0) | (any(2) ? IDMA_DESC_SINGLE : 0) | IDMA_DESC_ID(any(256)));
      if (i > 0) {
        idma_desc_link(&pool[order[i - 1]], address_of(order[i]));
      }
      memcpy(expected + dst, source + src, length);
    }
    flush();
    check(!idma_desc_ended(&pool[order[n - 1]]));
    check(idma_desc_launch(0, address_of(order[0])) == IDMA_DESC_OK);
    while (!ended(order[n - 1])) {
    }
    for (i = 0; i < n; i++) {
      check(ended(order[i]));
    }
    while (idma_desc_busy(0)) {
    }
    compare();
    check(idma_desc_errors(0, 0) == IDMA_DESC_OK);
  }
}

static void rows(void) {
  uint32_t i;
  test("rows by strides");
  begin();
  check(idma_desc_copy_2d(pool, POOL, DST + 0x3000, SRC + 5, 77, -300, 128, 20, IDMA_DESC_COPY | IDMA_DESC_IRQ) == IDMA_DESC_OK);
  for (i = 0; i < 20; i++) {
    check((pool[i].flags & IDMA_DESC_IRQ) == (i == 19));
    memcpy(expected + 0x3000 - 300 * i, source + 5 + 128 * i, 77);
  }
  check(pool[19].next == IDMA_DESC_END);
  flush();
  check(idma_desc_launch(0, POOL) == IDMA_DESC_OK);
  while (!ended(19)) {
  }
  compare();
}

static void refusals(void) {
  unsigned long before = remote_accesses();
  test("what cannot be is refused");
  check(idma_desc_launch(0, POOL + 8) == IDMA_DESC_INVALID);
  check(idma_desc_copy_2d(pool, POOL, DST, SRC, 0, 4, 4, 2, IDMA_DESC_COPY) == IDMA_DESC_INVALID);
  check(idma_desc_copy_2d(pool, POOL, DST, SRC, 4, 4, 4, 0, IDMA_DESC_COPY) == IDMA_DESC_INVALID);
  check(idma_desc_copy_2d(pool, POOL + 1, DST, SRC, 4, 4, 4, 2, IDMA_DESC_COPY) == IDMA_DESC_INVALID);
  check(remote_accesses() == before);
}

static void errors(void) {
  uint64_t where = 0;
  test("an error names its descriptor, once, and the chain goes on");
  begin();
  idma_desc_copy(&pool[0], DST, SRC, 10, IDMA_DESC_COPY);
  idma_desc_copy(&pool[1], DST + 0x100, FAULTY, 10, IDMA_DESC_COPY);
  idma_desc_copy(&pool[2], DST + 0x200, SRC, 10, IDMA_DESC_COPY);
  idma_desc_link(&pool[0], address_of(1));
  idma_desc_link(&pool[1], address_of(2));
  flush();
  check(idma_desc_launch(0, POOL) == IDMA_DESC_OK);
  while (!ended(2)) {
  }
  check(ended(1));
  check(idma_desc_failed(&pool[1]) == ERROR_MARKS);
  check(!ERROR_MARKS || pool[1].length == 2); /* a slave error of a read */
  check(ended(0) && !idma_desc_failed(&pool[0]) && !idma_desc_failed(&pool[2]));
  check(idma_desc_errors(0, &where) == IDMA_DESC_TRANSFER_ERROR);
  check(where == address_of(1));
  check(idma_desc_errors(0, &where) == IDMA_DESC_OK);
  remote_get(DST, target, WINDOW);
  check(memcmp(target, source, 10) == 0 && memcmp(target + 0x200, source, 10) == 0);

  test("a descriptor that cannot be read ends its chain");
  idma_desc_copy(&pool[0], DST, SRC, 10, IDMA_DESC_COPY);
  idma_desc_link(&pool[0], FAULTY);
  flush();
  check(idma_desc_launch(0, POOL) == IDMA_DESC_OK);
  while (idma_desc_busy(0)) {
  }
  check(ended(0));
  check(idma_desc_errors(0, &where) == IDMA_DESC_FETCH_ERROR);
  check(where == FAULTY);
  check(idma_desc_errors(0, 0) == IDMA_DESC_OK);
}

int main(void) {
  chains();
  rows();
  refusals();
  errors();
  return tests_end();
}
