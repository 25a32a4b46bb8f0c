#include "idma_desc.h"

#ifdef IDMA_REGISTER_ACCESS
#include IDMA_REGISTER_ACCESS
#endif
#include "desc_64.h"

void idma_desc_copy(struct idma_desc *desc, uint64_t dst, uint64_t src, uint32_t length, uint32_t flags) {
  desc->length = length;
  desc->flags = flags;
  desc->next = IDMA_DESC_END;
  desc->src = src;
  desc->dst = dst;
}

void idma_desc_link(struct idma_desc *desc, uint64_t next) { desc->next = next; }

int idma_desc_copy_2d(struct idma_desc *descs, uint64_t address, uint64_t dst, uint64_t src, uint32_t length, int64_t dst_stride, int64_t src_stride, uint32_t reps,
                      uint32_t flags) {
  uint32_t i;
  if (length == 0 || reps == 0 || address % sizeof *descs != 0) {
    return IDMA_DESC_INVALID;
  }
  for (i = 0; i < reps; i++) {
    int last = i + 1 == reps;
    idma_desc_copy(&descs[i], dst + i * (uint64_t)dst_stride, src + i * (uint64_t)src_stride, length, last ? flags : flags & ~IDMA_DESC_IRQ);
    if (!last) {
      idma_desc_link(&descs[i], address + (i + 1) * (uint64_t)sizeof *descs);
    }
  }
  return IDMA_DESC_OK;
}

int idma_desc_launch(uintptr_t base, uint64_t address) {
  if (address % sizeof(struct idma_desc) != 0) {
    return IDMA_DESC_INVALID;
  }
  desc_64_desc_addr_write(base, address);
  return IDMA_DESC_OK;
}

int idma_desc_ended(const volatile struct idma_desc *desc) { return desc->flags == UINT32_MAX; }

int idma_desc_failed(const volatile struct idma_desc *desc) { return idma_desc_ended(desc) && desc->length != UINT32_MAX; }

int idma_desc_busy(uintptr_t base) { return desc_64_status_busy_get(desc_64_status_read(base)) != 0; }

int idma_desc_errors(uintptr_t base, uint64_t *address) {
  int lost, failed;
  /* A one clears a flag, so what was read is written back. */
  uint32_t status = (uint32_t)desc_64_status_read(base) & (uint32_t)(DESC_64_STATUS_TRANSFER_ERROR_MASK | DESC_64_STATUS_DESC_ERROR_MASK);
  lost = desc_64_status_desc_error_get(status) != 0;
  failed = desc_64_status_transfer_error_get(status) != 0;
  if (!lost && !failed) {
    return IDMA_DESC_OK;
  }
  if (address != 0) {
    *address = desc_64_error_addr_read(base);
  }
  desc_64_status_write(base, status);
  return lost ? IDMA_DESC_FETCH_ERROR : IDMA_DESC_TRANSFER_ERROR;
}
