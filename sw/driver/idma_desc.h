/* Driver of the descriptor front-end desc_64. C99 and <stdint.h>, and desc_64.h, which comes with the RTL.
 *
 * Descriptors are the caller's memory, each at an address that is a multiple of 32. They must have left the caches
 * before a launch, and not be in them when idma_desc_ended looks. */
#ifndef IDMA_DESC_H
#define IDMA_DESC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the engine reads: 32 bytes, little-endian. */
struct idma_desc {
  uint32_t length;
  uint32_t flags;
  uint64_t next; /* address of the next descriptor, or IDMA_DESC_END */
  uint64_t src, dst;
};

#define IDMA_DESC_END UINT64_MAX

/* Flags. */
#define IDMA_DESC_IRQ UINT32_C(0x1)          /* interrupt at the end */
#define IDMA_DESC_COPY UINT32_C(0xa)         /* the plain copy: incrementing addresses on both sides */
#define IDMA_DESC_DECOUPLE_RW UINT32_C(0x20) /* reads go on while writes are blocked */
#define IDMA_DESC_DECOUPLE_AW UINT32_C(0x40) /* write addresses go at once */
#define IDMA_DESC_SINGLE UINT32_C(0x80)      /* single beats */
#define IDMA_DESC_SRC_CACHE(x) (((uint32_t)(x) & 15) << 8)
#define IDMA_DESC_DST_CACHE(x) (((uint32_t)(x) & 15) << 12)
#define IDMA_DESC_ID(x) (((uint32_t)(x) & 255) << 16)

/* What functions return. */
enum idma_desc_result {
  IDMA_DESC_OK = 0,
  IDMA_DESC_INVALID = -1,        /* nothing was done */
  IDMA_DESC_TRANSFER_ERROR = -2, /* a transfer ended with an error */
  IDMA_DESC_FETCH_ERROR = -3     /* a descriptor could not be read, which ends its chain, or not be marked */
};

/* Describes a copy, at the end of a chain. */
void idma_desc_copy(struct idma_desc *desc, uint64_t dst, uint64_t src, uint32_t length, uint32_t flags);

/* Lets the chain go on at the descriptor with that address. */
void idma_desc_link(struct idma_desc *desc, uint64_t next);

/* Describes copies of length bytes by strides that count from the first one, in as many descriptors in a row, of which
 * the first has that address, and links them. Only the last one has IDMA_DESC_IRQ, if the flags do. */
int idma_desc_copy_2d(struct idma_desc *descs, uint64_t address, uint64_t dst, uint64_t src, uint32_t length, int64_t dst_stride, int64_t src_stride, uint32_t reps,
                      uint32_t flags);

/* Launches the chain whose first descriptor has that address. */
int idma_desc_launch(uintptr_t base, uint64_t address);

/* Whether the copy of the descriptor has ended and was marked. */
int idma_desc_ended(const volatile struct idma_desc *desc);

/* Whether it has ended and its mark says that it failed, which marks do in engines with error_marks. The cause is in
 * bits 1:0 of the length then, the type of the error in bits 3:2. */
int idma_desc_failed(const volatile struct idma_desc *desc);

/* Whether anything is under way. */
int idma_desc_busy(uintptr_t base);

/* Errors since the last call, and forgets them. The address of the latest one's descriptor, if wanted. */
int idma_desc_errors(uintptr_t base, uint64_t *address);

#ifdef __cplusplus
}
#endif

#endif
