package check_test

import "testing"

func TestMemories(t *testing.T) {
	run(t, []testCase{
		{"a block that is read in the same cycle", `
(module m (input a u2) (output y u8)
  (mem ram u8 4 (style block)) ; want "misuse: memory ram has style block and is read in the same cycle, which blocks cannot do; use SyncRead, or the style distributed or registers . 4: it is read here"
  (body (set y (read ram a))
    (write ram a 3:u8)))`},
		{"a block that is read at the edge", `
(module m (input a u2) (output y u8) (sync_read rd u8) (mem ram u8 4 (style block) (sync a 1:u1 rd old old))
  (body (set y rd) (write ram a 3:u8) (if (when a[0] (write ram 0:u2 1:u8)))))`},
		{"cells that are read in the same cycle", `
(module m (input a u2) (output y u8) (mem ram u8 4 (style distributed)) (body (set y (read ram a)) (write ram a 3:u8)))`},
		{"a block with three write ports", `
(module m (input a u2) (output y u8) (sync_read rd u8)
  (mem ram u8 4 (style block) (sync a 1:u1 rd old old old)) ; want "misuse: memory ram has style block and 3 write ports; there is no such storage with more than 2; join .* . 5: the port that is too many"
  (body (set y rd) (write ram a 1:u8) (write ram a 2:u8)
    (write ram a 3:u8)))`},
		{"cells with two write ports", `
(module m (input a u2) (output y u8)
  (mem ram u8 4 (style distributed)) ; want "misuse: memory ram has style distributed and 2 write ports; .* more than 1"
  (body (set y (read ram a)) (write ram a 1:u8) (write ram 0:u2 2:u8)))`},
		{"registers with three", `
(module m (input a u2) (output y u8) (mem ram u8 4 (style registers))
  (body (set y (read ram a)) (write ram a 1:u8) (write ram 0:u2 2:u8) (write ram 1:u2 2:u8)))`},
		{"contents that nothing writes", `
(module m (input a u2) (output y u8) (mem rom u8 4 (init 1:u8 2:u8)) (body (set y (read rom a))))`},
	})
}
