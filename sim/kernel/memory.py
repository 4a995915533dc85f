"""The primitives of `sim.sight` in compiled form: loads from an address, and the hash of a move.

Everything else in `sim.sight`, `sim.foresight` and `sim.endgame` compiles from its Python source.
"""

import inspect

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload, register_jitable

from sim import endgame, foresight, sight
from sim.view import CAPTURE


def _load(bits, result):
    """Make an intrinsic that loads the unsigned or signed integer at ``address + index * size``."""

    @intrinsic
    def load(typingctx, address, index):
        def codegen(context, builder, signature, args):
            element = ir.IntType(bits)
            base = builder.inttoptr(args[0], element.as_pointer())
            loaded = builder.load(builder.gep(base, [args[1]]))
            return builder.zext(loaded, ir.IntType(64)) if bits < 64 else loaded

        return result(types.int64, types.int64), codegen

    return load


load_word = _load(64, types.int64)
load_entry = _load(32, types.int64)


@intrinsic
def store_word(typingctx, address, index, value):
    """Store an int64 at ``address + 8 * index``."""

    def codegen(context, builder, signature, args):
        base = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        builder.store(args[2], builder.gep(base, [args[1]]))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), codegen


@overload(sight.word, inline="always")
def _word(address, index):
    return lambda address, index: load_word(address, index)


@overload(sight.entry, inline="always")
def _entry(address, index):
    return lambda address, index: load_entry(address, index)


@intrinsic
def trailing_zeros(typingctx, value):
    """Count the zero bits below the lowest one of an int64 that is not 0."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen


@overload(sight.lowest, inline="always")
def _lowest(packed):
    return lambda packed: trailing_zeros(packed) >> 2


@overload(sight.size, jit_options={"forceinline": True})
def _size(packed):
    def size(packed):
        odd = np.uint64(0x0F0F0F0F0F0F0F0F)
        pairs = (np.uint64(packed) & odd) + ((np.uint64(packed) >> np.uint64(4)) & odd)
        return np.int64((pairs * np.uint64(0x0101010101010101)) >> np.uint64(56))

    return size


@overload(sight.mix, jit_options={"forceinline": True})
def _mix(noise, take, piles, card, kind):
    def mix(noise, take, piles, card, kind):
        key = np.uint64(take) | np.uint64(card) << np.uint64(56) | np.uint64(kind) << np.uint64(60)
        key ^= np.uint64(piles) * np.uint64(0xD1B54A32D192ED03)
        x = np.uint64(noise) + key * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.int64((x ^ (x >> np.uint64(31))) >> np.uint64(1))

    return mix


@overload(sight.luckiest, jit_options={"forceinline": True})
def _luckiest(view, kind, size):
    def luckiest(view, kind, size):
        if kind == CAPTURE and size == view.most and view.largest >= 0:
            return view.largest
        wanted = size | kind << 24
        best = -1
        best_luck = -1
        for move in range(view.n_moves):
            chance = sight.luck(view, move)
            matches = load_word(view.moves, 2 * move + 1) >> 32 & 0xFF00FFFF == wanted
            chance = chance if matches else -1
            best = move if chance > best_luck else best
            best_luck = max(best_luck, chance)
        return best

    return luckiest


_PRIMITIVES = (
    sight.luckiest,
    sight.word,
    sight.entry,
    sight.lowest,
    sight.size,
    sight.mix,
)

for _module in (sight, foresight, endgame):
    for _function in vars(_module).values():
        own = inspect.isfunction(_function) and _function.__module__ == _module.__name__
        if own and _function not in _PRIMITIVES:
            register_jitable(forceinline=True)(_function)
