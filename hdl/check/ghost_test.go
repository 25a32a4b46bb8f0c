package check_test

import "testing"

func TestGhosts(t *testing.T) {
	run(t, []testCase{
		{"properties with ghosts of their own", `
(module m (input a u1) (input b u1) (output y u1) (reg was u1 ghost) (wire p u1 (default 1:u1) ghost) (wire c u1 (default 0:u1) ghost)
  (assert "p" p) (cover "c" c)
  (body (set y a) (set was a)
    (if (when b (set y b) (set p (eq was a))))
    (if (when was (set c 1:u1)))))`},
		{"a ghost in the value of a wire", `
(module m (input a u1) (output y u1)
  (wire p u1 ghost) (assert "p" p) (body (set p a)
  (set y (not p)))) ; want "misuse: wire p exists only for properties and is read by what does not; read it in properties only, .* . 3: it is declared here"`},
		{"a ghost in a default, a lane, a port of a memory and a condition", `
(module m (input a u1)
  (output y u2 (default (cat p 0:u1))) ; want "misuse: wire p exists"
  (reg r u2) (wire p u1 ghost) (sync_read rd u2) (assert "p" p)
  (mem ram u2 2 (sync
     (and p a) ; want "misuse: wire p exists"
     a rd undefined))
  (body (set p a)
  (set r (lane
    (not p) 1) ; want "misuse: wire p exists"
    a)
  (write ram a
    (cat p a)) ; want "misuse: wire p exists"
  (if (when
    (or p a) ; want "misuse: wire p exists"
    (if (when a (set y r))))
    (else (set y rd)))))`},
		{"a condition that a ghost follows", `
(module m (input a u1) (output y u1) (wire p u1 ghost) (wire q u1 (default 1:u1) ghost) (assert "p" p) (assert "q" q)
  (body (set p a) (set y a)
  (if (when a (set q a)) (when p (set q 1:u1)))))`},
		{"a memory in a property", `
(module m (input a u1) (output y u2) (wire p u1 (default 1:u1) ghost) (assert "p" p)
  (mem ram u2 2)
  (body (set y (read ram a)) (write ram a 3:u2)
  (if (when a
    (set p (or_r (read ram a))))))) ; want "misuse: a property depends on a read of memory ram, which is not visible where properties are checked; name what is read with Let, and use that . 3: the memory"`},
		{"a memory in the condition of a property", `
(module m (input a u1) (output y u2) (wire p u1 (default 1:u1) ghost) (assert "p" p) (mem ram u2 2)
  (body (set y (read ram a)) (write ram a 3:u2)
  (if (when
    (read ram a)[0] ; want "misuse: a property depends on a read of memory ram"
    (set p a)))))`},
		{"what is read by a name", `
(module m (input a u1) (output y u2) (wire p u1 (default 1:u1) ghost) (assert "p" p) (mem ram u2 2) (wire at u2)
  (body (set y at) (set at (read ram a)) (write ram a 3:u2) (if (when at[0] (set p a)))))`},
		{"a ghost that no property reads", `
(module m (input a u1) (output y u1)
  (reg was u1 ghost) ; want "unused: register was is assigned and never read"
  (body (set y a) (set was a)))`},
	})
}
