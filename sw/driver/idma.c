#include "idma.h"

#ifdef IDMA_REGISTER_ACCESS
#include IDMA_REGISTER_ACCESS
#endif
#ifndef REGISTER_READ32
#define REGISTER_READ32(address) (*(volatile uint32_t *)(address))
#define REGISTER_WRITE32(address, word) (*(volatile uint32_t *)(address) = (word))
#endif

static uint32_t get(const struct idma *dma, uint32_t offset) { return REGISTER_READ32(dma->base + offset); }

static void put(const struct idma *dma, uint32_t offset, uint32_t word) { REGISTER_WRITE32(dma->base + offset, word); }

/* of_stream is the element of a register array. */
static uint32_t of_stream(const struct idma *dma, uint32_t offset) { return offset + 4 * (uint32_t)dma->stream; }

/* put_value writes a value of one register or two. */
static void put_value(const struct idma *dma, uint32_t offset, uint64_t value) {
  put(dma, offset, (uint32_t)value);
  if (dma->layout->wide) {
    put(dma, offset + 4, (uint32_t)(value >> 32));
  }
}

/* has tells whether the flag at that bit is set. */
static int has(uint32_t word, unsigned bit) { return word >> bit & 1; }

/* fits tells whether the value can be held in so many bits. */
static int fits(uint64_t value, unsigned bits) { return bits >= 64 || value >> bits == 0; }

/* addressable tells whether the registers can hold the address. */
static int addressable(const struct idma_layout *at, uint64_t address) {
  return fits(address, at->wide || at->addr_bits < 32 ? at->addr_bits : 32);
}

/* jumpable tells whether a register can hold the jump. Narrow ones are extended by their sign for engines with more address bits. */
static int jumpable(const struct idma_layout *at, uint64_t jump) {
  return at->wide || at->addr_bits <= 32 || jump + UINT64_C(0x80000000) <= UINT64_C(0xffffffff);
}

/* jump is what leads from the last transfer inside the loop to the first one of its next iteration, where the loops
 * inside have moved the address by so many bytes. */
static uint64_t jump(int64_t stride, uint64_t moved) { return (uint64_t)stride - moved; }

/* possible tells whether the engine can do the transfer. */
static int possible(const struct idma *dma, uint64_t dst, uint64_t src, uint64_t length, const struct idma_dim *dims, unsigned count) {
  const struct idma_layout *at = dma->layout;
  uint64_t dst_moved = 0, src_moved = 0;
  unsigned i;

  if (count > at->dims || dma->stream >= at->streams || length == 0 || !fits(length, at->length_bits) || !addressable(at, dst) || !addressable(at, src)) {
    return 0;
  }
  for (i = 0; i < count; i++) {
    if (dims[i].reps == 0 || !fits(dims[i].reps, at->reps_bits) || !jumpable(at, jump(dims[i].dst_stride, dst_moved)) ||
        !jumpable(at, jump(dims[i].src_stride, src_moved))) {
      return 0;
    }
    dst_moved += (dims[i].reps - 1) * (uint64_t)dims[i].dst_stride;
    src_moved += (dims[i].reps - 1) * (uint64_t)dims[i].src_stride;
  }
  return 1;
}

int idma_copy_nd(const struct idma *dma, uint64_t dst, uint64_t src, uint64_t length, const struct idma_dim *dims, unsigned count, uint32_t *id) {
  const struct idma_layout *at = dma->layout;
  uint64_t dst_moved = 0, src_moved = 0; /* by the loops inside, from their first transfer to their last */
  unsigned i;

  if (!possible(dma, dst, src, length, dims, count)) {
    return IDMA_INVALID;
  }
  put(dma, at->conf, dma->conf | (uint32_t)count << at->enable_nd);
  put_value(dma, at->dst_addr, dst);
  put_value(dma, at->src_addr, src);
  put_value(dma, at->length, length);
  for (i = 0; i < count; i++) {
    put_value(dma, at->dim[i].dst_stride, jump(dims[i].dst_stride, dst_moved));
    put_value(dma, at->dim[i].src_stride, jump(dims[i].src_stride, src_moved));
    put_value(dma, at->dim[i].reps, dims[i].reps);
    dst_moved += (dims[i].reps - 1) * (uint64_t)dims[i].dst_stride;
    src_moved += (dims[i].reps - 1) * (uint64_t)dims[i].src_stride;
  }
  *id = get(dma, of_stream(dma, at->next_id));
  return *id == 0 ? IDMA_BLOCKED : IDMA_OK;
}

int idma_copy(const struct idma *dma, uint64_t dst, uint64_t src, uint64_t length, uint32_t *id) {
  return idma_copy_nd(dma, dst, src, length, 0, 0, id);
}

int idma_copy_2d(const struct idma *dma, uint64_t dst, uint64_t src, uint64_t length, int64_t dst_stride, int64_t src_stride, uint64_t reps, uint32_t *id) {
  struct idma_dim dim;
  dim.reps = reps;
  dim.dst_stride = dst_stride;
  dim.src_stride = src_stride;
  return idma_copy_nd(dma, dst, src, length, &dim, 1, id);
}

int idma_ended(const struct idma *dma, uint32_t id) {
  unsigned unused = 32u - dma->layout->id_bits;
  uint32_t ahead = get(dma, of_stream(dma, dma->layout->done_id)) - id;
  return (ahead << unused) >> 31 == 0;
}

int idma_wait(const struct idma *dma, uint32_t id, uint32_t polls) {
  uint32_t looked = 0;
  for (;;) {
    int ended = idma_ended(dma, id);
    if (dma->layout->error_info != 0) {
      uint32_t info = get(dma, of_stream(dma, dma->layout->error_info));
      if (has(info, dma->layout->awaits)) {
        return IDMA_AWAITS;
      }
      if (ended && has(info, dma->layout->failed)) {
        return IDMA_FAILED;
      }
    }
    if (ended) {
      return IDMA_OK;
    }
    if (++looked == polls) {
      return IDMA_TIMEOUT;
    }
  }
}

int idma_memcpy(const struct idma *dma, uint64_t dst, uint64_t src, uint64_t length) {
  uint32_t id;
  int result = idma_copy(dma, dst, src, length, &id);
  return result == IDMA_OK ? idma_wait(dma, id, 0) : result;
}

uint32_t idma_status(const struct idma *dma) { return get(dma, of_stream(dma, dma->layout->status)); }

int idma_last_error(const struct idma *dma, struct idma_error *error) {
  const struct idma_layout *at = dma->layout;
  uint32_t info;

  if (at->error_info == 0) {
    return IDMA_INVALID;
  }
  info = get(dma, of_stream(dma, at->error_info));
  if (!has(info, at->failed) && !has(info, at->awaits)) {
    return IDMA_OK;
  }
  put(dma, of_stream(dma, at->error_info), UINT32_C(1) << at->failed); /* a one clears it */
  error->id = get(dma, of_stream(dma, at->error_id));
  error->type = info >> at->err_type & 3;
  error->cause = info >> at->cause & 3;
  error->awaits = (uint8_t)has(info, at->awaits);
  error->addr = 0;
  if (at->error_addr != 0) {
    error->addr = get(dma, of_stream(dma, at->error_addr));
  }
  if (at->error_addr_high != 0) {
    error->addr |= (uint64_t)get(dma, of_stream(dma, at->error_addr_high)) << 32;
  }
  return error->awaits ? IDMA_AWAITS : IDMA_FAILED;
}

int idma_answer(const struct idma *dma, enum idma_action action) {
  if (dma->layout->error_action == 0) {
    return IDMA_INVALID;
  }
  put(dma, of_stream(dma, dma->layout->error_action), (uint32_t)action);
  return IDMA_OK;
}
