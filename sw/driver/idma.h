/* Driver of the register front-ends of iDMA engines. It needs no operating system and no library: C99 and <stdint.h>.
 *
 * Which registers there are, and where, is told by the layout that comes with the RTL, for example
 * reg_64_2d_layout in reg_64_2d_layout.h. Where plain accesses to registers do not do, let IDMA_REGISTER_ACCESS name a header
 * that defines REGISTER_READ32(address) and REGISTER_WRITE32(address, word), and with 64-bit registers the same for 64.
 *
 * Memory is the caller's affair: what the engine reads must have left the caches, and what it writes must not
 * be in them.
 */
#ifndef IDMA_H
#define IDMA_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Dimensions beyond the linear transfer that any layout has. */
#define IDMA_MAX_DIMS 2

/* Where the registers are. Offsets are in bytes; 0 stands for registers that are not there. */
struct idma_layout {
  uint16_t conf, status, next_id, done_id;
  uint16_t dst_addr, src_addr, length;
  struct {
    uint16_t dst_stride, src_stride, reps;
  } dim[IDMA_MAX_DIMS];
  uint16_t error_info, error_id, error_addr, error_addr_high, error_action;
  uint8_t dims;          /* beyond the linear transfer */
  uint8_t wide;          /* values take two registers */
  uint8_t streams;       /* engines */
  uint8_t id_bits;       /* of the numbers of transfers */
  uint8_t addr_bits;     /* of addresses */
  uint8_t length_bits;   /* of lengths */
  uint8_t reps_bits;     /* of repetitions */
  uint8_t enable_nd;     /* lowest bits of fields: in conf, then in error_info */
  uint8_t failed, awaits, cause, err_type;
};

/* A register port and one of its engines. */
struct idma {
  uintptr_t base;                   /* address of the registers */
  const struct idma_layout *layout;
  unsigned stream;                  /* which engine, from 0 */
  uint32_t conf;                    /* options of transfers, without dimensions; the header of the registers has helpers */
};

/* What functions return. */
enum idma_result {
  IDMA_OK = 0,
  IDMA_INVALID = -1, /* the transfer does not fit this engine; nothing was launched */
  IDMA_BLOCKED = -2, /* the engine waits for idma_answer, and its queue is full; nothing was launched */
  IDMA_TIMEOUT = -3, /* the transfer has not ended yet */
  IDMA_FAILED = -4,  /* there was an error, see idma_last_error */
  IDMA_AWAITS = -5   /* the engine waits for idma_answer */
};

/* A loop around a transfer. Strides count from the start of the loop: iteration i begins at i times the stride.
 * The driver makes the jumps of the registers from them. */
struct idma_dim {
  uint64_t reps;
  int64_t dst_stride, src_stride; /* bytes */
};

/* Launches a copy of length bytes and gives its number. */
int idma_copy(const struct idma *dma, uint64_t dst, uint64_t src, uint64_t length, uint32_t *id);

/* Launches reps copies of length bytes each. */
int idma_copy_2d(const struct idma *dma, uint64_t dst, uint64_t src, uint64_t length, int64_t dst_stride, int64_t src_stride, uint64_t reps, uint32_t *id);

/* Launches a copy with loops around it, the innermost first. No loop may have 0 repetitions. */
int idma_copy_nd(const struct idma *dma, uint64_t dst, uint64_t src, uint64_t length, const struct idma_dim *dims, unsigned count, uint32_t *id);

/* Whether the transfer has ended, with an error or without. Right across the wrap of numbers, as long as
 * not half of them are under way. */
int idma_ended(const struct idma *dma, uint32_t id);

/* Waits for the transfer, looking at most so many times, or for ever with 0. Tells of errors since the last call of
 * idma_last_error, whichever transfer they are of. With error handling IDMA_AWAITS says that the engine stands still
 * until idma_answer; wait again after that. */
int idma_wait(const struct idma *dma, uint32_t id, uint32_t polls);

/* Copies and waits for the end. */
int idma_memcpy(const struct idma *dma, uint64_t dst, uint64_t src, uint64_t length);

/* Busy flags of the engine; 0 when all that was launched has arrived. */
uint32_t idma_status(const struct idma *dma);

/* What failed. */
enum idma_error_type { IDMA_READ_ERROR = 0, IDMA_WRITE_ERROR = 1, IDMA_REFUSED = 2, IDMA_NO_REPETITIONS = 3 };

struct idma_error {
  uint32_t id;    /* of the transfer */
  uint8_t type;   /* enum idma_error_type */
  uint8_t cause;  /* bus errors: the AXI response; refused ones: why */
  uint8_t awaits; /* the engine waits for idma_answer */
  uint64_t addr;  /* with error handling: of the burst that failed */
};

/* The latest error since the last call, and forgets it. Returns IDMA_OK if there was none, else IDMA_FAILED or IDMA_AWAITS.
 * IDMA_INVALID where the engine has no error registers. */
int idma_last_error(const struct idma *dma, struct idma_error *error);

/* What to do about the error that the engine waits with. */
enum idma_action { IDMA_CONTINUE = 0, IDMA_ABORT = 1, IDMA_REPLAY = 2 };
int idma_answer(const struct idma *dma, enum idma_action action);

#ifdef __cplusplus
}
#endif

#endif
