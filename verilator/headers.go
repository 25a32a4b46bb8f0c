package verilator

import (
	"context"
	"path/filepath"
	"strings"
)

const headersName = "headers.h"

// headersText is what every model includes. Reading it takes most of the time
// that a quick build would spend.
const headersText = `#include "` + printName + `"
#include "verilated.h"
#include "verilated_dpi.h"
#include "verilated_syms.h"
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>
`

// headers returns the path of the header that includes all of them, with its
// precompiled form beside it where the compiler can move that: Clang's notes where
// it was made.
func (b *build) headers(ctx context.Context) (string, error) {
	key := append([]string{b.tools.VerilatorVersion, b.tools.CompilerVersion, b.tools.Root, slowLevel, printHeader, headersText}, compileFlags...)
	dir, err := b.Cache.entry(ctx, "headers-"+hash(key...), func(dir string) error {
		if err := writeAll(dir, []source{{printName, printHeader}, {headersName, headersText}}); err != nil {
			return err
		}
		if strings.Contains(b.tools.CompilerVersion, "clang") {
			return nil
		}
		b.progress("compiling Verilator's headers")
		r := newRunner(dir, filepath.Join(b.Cache.logs(), filepath.Base(dir)+".log"))
		err := r.run(ctx, b.tools.Compiler, append(b.flags(slowLevel), "-x", "c++-header", "-o", headersName+".gch", headersName)...)
		if err != nil {
			return err
		}
		return r.discard()
	})
	return filepath.Join(dir, headersName), err
}
