/* Tests of the driver of the register front-ends. LAYOUT is that of the engine at address 0. Memory that is not written has
 * arbitrary contents; reads from FAULTY up answer with an error, once for each test that asks for it. */
#include <stdlib.h>
#include <string.h>

#include "idma.h"
#include "remote.h"

#include LAYOUT_HEADER

#define WINDOW 0x6000
#define SRC UINT64_C(0x100000)
#define DST UINT64_C(0x200000)
#define FAULTY UINT64_C(0x800000)

static struct idma dma = {0, &LAYOUT, 0, 0};
static unsigned char source[WINDOW], target[WINDOW], expected[WINDOW];

/* random_copy copies with so many loops and compares everything around source and destination, which lie somewhere in the
 * middle of their windows. */
static void random_copy(unsigned loops) {
  struct idma_dim dims[IDMA_MAX_DIMS];
  uint32_t length = 1 + any(loops == 0 ? 2000 : 90), id, n[2] = {1, 1};
  uint32_t src = WINDOW / 2 + any(64), dst = WINDOW / 2 + any(64), i, j;
  int64_t pitch = length;

  memset(dims, 0, sizeof dims);
  for (i = 0; i < loops; i++) {
    n[i] = 1 + any(i == 0 ? 5 : 3);
    dims[i].reps = n[i];
    pitch += any(20);
    dims[i].dst_stride = any(2) ? pitch : -pitch; /* apart from each other, in either direction */
    dims[i].src_stride = (int64_t)any(600) - 300; /* may overlap */
    pitch *= n[i];
  }
  remote_get(SRC, source, WINDOW);
  remote_get(DST, target, WINDOW);
  memcpy(expected, target, WINDOW);
  for (j = 0; j < n[1]; j++) {
    for (i = 0; i < n[0]; i++) {
      memcpy(expected + dst + i * dims[0].dst_stride + j * dims[1].dst_stride, source + src + i * dims[0].src_stride + j * dims[1].src_stride, length);
    }
  }
  dma.conf = any(1 << 4);
  if (loops == 0 && any(2)) {
    check(idma_memcpy(&dma, DST + dst, SRC + src, length) == IDMA_OK);
  } else if (loops == 1 && any(2)) {
    check(idma_copy_2d(&dma, DST + dst, SRC + src, length, dims[0].dst_stride, dims[0].src_stride, dims[0].reps, &id) == IDMA_OK);
    check(idma_wait(&dma, id, 0) == IDMA_OK);
  } else {
    check(idma_copy_nd(&dma, DST + dst, SRC + src, length, dims, loops, &id) == IDMA_OK);
    check(idma_wait(&dma, id, 0) == IDMA_OK);
  }
  remote_get(DST, target, WINDOW);
  check(memcmp(target, expected, WINDOW) == 0);
}

static void copies(void) {
  static const char *const names[] = {"linear copies", "copies of two dimensions", "copies of three dimensions"};
  unsigned loops, i;
  for (loops = 0; loops <= LAYOUT.dims; loops++) {
    test(names[loops]);
    for (i = 0; i < 12; i++) {
      random_copy(loops);
    }
  }
  test("a copy after others uses none of their loops");
  random_copy(0);
}

static void refusals(void) {
  struct idma_dim dims[IDMA_MAX_DIMS + 1];
  struct idma other = dma;
  unsigned long before;
  uint32_t id;
  unsigned i;
  for (i = 0; i <= IDMA_MAX_DIMS; i++) {
    dims[i].reps = 2;
    dims[i].dst_stride = dims[i].src_stride = 64;
  }

  test("what the engine cannot do touches no register");
  before = remote_accesses();
  check(idma_copy(&dma, DST, SRC, 0, &id) == IDMA_INVALID);
  check(idma_copy_nd(&dma, DST, SRC, 4, dims, LAYOUT.dims + 1u, &id) == IDMA_INVALID);
  if (LAYOUT.length_bits < 64) {
    check(idma_copy(&dma, DST, SRC, UINT64_C(1) << LAYOUT.length_bits, &id) == IDMA_INVALID);
  }
  if (LAYOUT.addr_bits < 64) {
    check(idma_copy(&dma, UINT64_C(1) << LAYOUT.addr_bits, SRC, 4, &id) == IDMA_INVALID);
    check(idma_copy(&dma, DST, UINT64_C(1) << LAYOUT.addr_bits, 4, &id) == IDMA_INVALID);
  }
  other.stream = LAYOUT.streams;
  check(idma_copy(&other, DST, SRC, 4, &id) == IDMA_INVALID);
  if (LAYOUT.dims > 0) {
    dims[0].reps = 0;
    check(idma_copy_nd(&dma, DST, SRC, 4, dims, 1, &id) == IDMA_INVALID);
    if (LAYOUT.reps_bits < 64) {
      dims[0].reps = UINT64_C(1) << LAYOUT.reps_bits;
      check(idma_copy_nd(&dma, DST, SRC, 4, dims, 1, &id) == IDMA_INVALID);
    }
  }
  check(remote_accesses() == before);
}

static void waiting(void) {
  uint32_t id, last = 0;
  int i;
  test("waiting ends after so many looks");
  check(idma_copy(&dma, DST, SRC, 4000, &id) == IDMA_OK);
  check(!idma_ended(&dma, id));
  check(idma_wait(&dma, id, 3) == IDMA_TIMEOUT);
  check(idma_wait(&dma, id, 0) == IDMA_OK);
  check(idma_ended(&dma, id));
  while (idma_status(&dma) != 0) {
  }

  test("numbers are distinct, never 0, and waiting is right across their wrap");
  for (i = 0; i < 300; i++) {
    check(idma_copy(&dma, DST, SRC, 1, &id) == IDMA_OK);
    check(id != 0 && id != last);
    last = id;
    if (i % 3 == 0) {
      check(idma_wait(&dma, id, 0) == IDMA_OK);
    }
  }
  check(idma_wait(&dma, id, 0) == IDMA_OK);
}

static void errors(void) {
  struct idma_error error;
  uint32_t id, good;
  if (LAYOUT.error_info == 0) {
    test("an engine without error registers says so");
    check(idma_last_error(&dma, &error) == IDMA_INVALID);
    check(idma_answer(&dma, IDMA_ABORT) == IDMA_INVALID);
    return;
  }
  test("without errors there is none");
  check(idma_last_error(&dma, &error) == IDMA_OK);
  if (LAYOUT.error_action == 0) {
    test("an error is told once, with the number of its transfer");
    check(idma_copy(&dma, DST, FAULTY, 64, &id) == IDMA_OK);
    check(idma_copy(&dma, DST + 0x100, SRC, 64, &good) == IDMA_OK);
    check(idma_wait(&dma, good, 0) == IDMA_FAILED);
    check(idma_last_error(&dma, &error) == IDMA_FAILED);
    check(error.id == id && error.type == IDMA_READ_ERROR && error.cause == 2 && !error.awaits);
    check(idma_last_error(&dma, &error) == IDMA_OK);
    check(idma_wait(&dma, good, 0) == IDMA_OK);
    check(idma_answer(&dma, IDMA_CONTINUE) == IDMA_INVALID);
    return;
  }

  test("a transfer with an error can go on");
  check(idma_copy(&dma, DST, FAULTY, 64, &id) == IDMA_OK);
  check(idma_wait(&dma, id, 0) == IDMA_AWAITS);
  check(idma_last_error(&dma, &error) == IDMA_AWAITS);
  check(error.id == id && error.type == IDMA_READ_ERROR && error.cause == 2 && error.awaits && error.addr == FAULTY);
  check(idma_answer(&dma, IDMA_CONTINUE) == IDMA_OK);
  while (idma_wait(&dma, id, 0) == IDMA_AWAITS) { /* each beat with an error is told of */
    check(idma_answer(&dma, IDMA_CONTINUE) == IDMA_OK);
  }
  idma_last_error(&dma, &error);
  check(idma_wait(&dma, id, 0) == IDMA_OK);

  test("a transfer with an error can be aborted, and writes nothing then");
  remote_get(DST, expected, 64);
  check(idma_copy(&dma, DST, FAULTY, 64, &id) == IDMA_OK);
  check(idma_wait(&dma, id, 0) == IDMA_AWAITS);
  check(idma_answer(&dma, IDMA_ABORT) == IDMA_OK);
  while (idma_wait(&dma, id, 0) == IDMA_AWAITS) {
    check(idma_answer(&dma, IDMA_ABORT) == IDMA_OK);
  }
  idma_last_error(&dma, &error);
  remote_get(DST, target, 64);
  check(memcmp(target, expected, 64) == 0);

  test("transfers launched while the engine waits are refused once its queue is full");
  check(idma_copy(&dma, DST, FAULTY, 64, &id) == IDMA_OK);
  check(idma_wait(&dma, id, 0) == IDMA_AWAITS);
  {
    int launched = 0, result;
    while ((result = idma_copy(&dma, DST + 0x1000, SRC, 4, &good)) == IDMA_OK && launched < 100) {
      launched++;
    }
    check(result == IDMA_BLOCKED);
  }
  do {
    check(idma_answer(&dma, IDMA_ABORT) == IDMA_OK);
  } while (idma_wait(&dma, id, 0) == IDMA_AWAITS);
  check(idma_last_error(&dma, &error) != IDMA_INVALID);
  check(idma_memcpy(&dma, DST, SRC, 64) == IDMA_OK);
}

int main(void) {
  copies();
  refusals();
  waiting();
  errors();
  return tests_end();
}
