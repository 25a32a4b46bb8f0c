package verilator

const fixesName = "millrace_fixes.h"

// fixesText comes before the C++ that Verilator makes and puts right what its own
// headers get wrong. A literal of more than eight words is stored in parts; that of
// Verilator 5.006 which stores the highest part clears not the words above it but as
// many from twice as far up, beyond the end of the signal. Its optimiser hides that for
// signals of up to 2048 bits.
const fixesText = `#include "verilated.h"
#include <initializer_list>

static inline WDataOutP millrace_consthi(int obits, int lsb, WDataOutP obase, std::initializer_list<EData> words) {
    int at = VL_WORDS_I(lsb) + static_cast<int>(words.size());
    for (int i = at; i < VL_WORDS_I(obits); ++i) obase[i] = 0;
    for (EData w : words) obase[--at] = w;
    return obase + VL_WORDS_I(lsb);
}

#define VL_CONSTHI_W_1X(obits, lsb, obase, ...) millrace_consthi(obits, lsb, obase, {__VA_ARGS__})
#define VL_CONSTHI_W_2X VL_CONSTHI_W_1X
#define VL_CONSTHI_W_3X VL_CONSTHI_W_1X
#define VL_CONSTHI_W_4X VL_CONSTHI_W_1X
#define VL_CONSTHI_W_5X VL_CONSTHI_W_1X
#define VL_CONSTHI_W_6X VL_CONSTHI_W_1X
#define VL_CONSTHI_W_7X VL_CONSTHI_W_1X
#define VL_CONSTHI_W_8X VL_CONSTHI_W_1X
`
