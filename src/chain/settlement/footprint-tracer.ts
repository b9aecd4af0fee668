import type { Address } from '../../domain/evm/address.ts'

/** The maximum number of slots that a tracer reports. */
const maxReported = 64

/** The maximum number of reads that a tracer reports. */
const maxReads = 192

/** The maximum number of contracts in a chain of calls. */
const maxDepth = 24

/** The maximum number of bytes that are hashed into a slot. */
const maxHashed = 32_768

/**
 * Returns the source of a tracer for `debug_traceCall` and `debug_traceTransaction`. It reports the storage
 * that belongs to the settlement contract and that a settlement changes, and the reads of such storage where
 * it is not zero, at any depth.
 *
 * A slot *belongs to* an account if it is computed from its address: a hash over it, a hash over such a hash,
 * a slot up to 65,536 after one of these (members of structs and arrays), or the address itself. It also
 * belongs to the account if its value names the account. The tracer follows every hash, so it finds the
 * mappings of Solidity and Vyper anywhere in a contract, nested ones too. Nineteen bytes of the address
 * decide, because some contracts group 256 accounts.
 *
 * Only calls that the settlement contract makes itself count, with all their inner calls, except for those of
 * `ignored`. With `all`, every settlement of the transaction counts, otherwise the last one. A run that is
 * not followed to its end reports `isWhole: false`, because nodes differ in how they handle a fault in a
 * tracer. The language is ECMAScript 5 without its annexes, which all nodes run.
 */
export function footprintTracer(settlement: Address, ignored: readonly Address[], all: boolean): string {
  const skipped = Object.fromEntries([settlement, ...ignored].map((address) => [address, 1]))
  return `{
  own: '${settlement}', mark: '${settlement.slice(2, 40)}', skipped: ${JSON.stringify(skipped)}, all: ${all},
  frames: [], hashes: {}, near: {}, writes: [], reads: {}, readCount: 0, settlements: 0,
  hashed: false, busy: false, overflows: false,
  word: function (value) {
    var digits = value.toString(16)
    while (digits.length < 64) digits = '0' + digits
    return digits
  },
  keep: function (digits) {
    this.hashes[digits] = 1
    var start = digits.slice(0, 60), last = 59, next = ''
    while (last >= 0 && start[last] === 'f') last--
    if (last >= 0) next = start.slice(0, last) + (parseInt(start[last], 16) + 1).toString(16)
    while (next.length < 60) next += '0'
    this.near[start] = this.near[next] = 1
  },
  belongs: function (slot) {
    return this.near[slot.slice(0, 60)] === 1 || slot.indexOf(this.mark) >= 0
  },
  isKey: function (data) {
    if (data.indexOf(this.mark) >= 0 || this.hashes[data.slice(-64)] === 1) return true
    for (var at = 0; at + 64 <= data.length; at += 64) if (this.hashes[data.slice(at, at + 64)] === 1) return true
    return false
  },
  // The calls from the settlement contract's own to this one: each with its contract, and its selectors.
  pathOf: function (up, isOwn, isDelegated, to, selector) {
    if (isOwn) return to + ' ' + selector
    if (up === undefined || up.path === '') return ''
    if (up.path.length > ${maxDepth * 54}) { this.overflows = true; return up.path }
    return up.path + (isDelegated ? ' ' : '>' + to + ' ') + selector
  },
  push: function (from, to, input, isDelegated) {
    var up = this.frames[this.frames.length - 1]
    var selector = toHex(input.slice(0, 4))
    var isSettle = to === this.own && selector === '0x13d79a0b'
    // A settlement cannot begin in another one: such a call fails, and must not hide the earlier records.
    if (isSettle && (up === undefined || !up.inside)) {
      this.settlements++
      if (!this.all) { this.writes = []; this.reads = {}; this.readCount = 0; this.overflows = false }
    }
    var inside = isSettle || (up !== undefined && up.inside)
    var isOwn = !isDelegated && inside && from === this.own && this.skipped[to] !== 1
    this.frames.push({
      inside: inside,
      context: isDelegated && up ? up.context : to,
      selectors: isDelegated && up ? up.selectors + ' ' + selector : selector,
      path: this.pathOf(up, isOwn, isDelegated, to, selector),
      counts: isOwn || (up !== undefined && up.counts && this.skipped[to] !== 1),
      undo: this.writes.length
    })
  },
  enter: function (call) {
    this.busy = true
    var type = call.getType()
    this.push(toHex(call.getFrom()), toHex(call.getTo()), call.getInput(), type === 'DELEGATECALL' || type === 'CALLCODE')
    this.busy = false
  },
  exit: function (result) {
    this.busy = true
    var frame = this.frames.pop()
    if (result.getError() !== undefined && frame.undo < this.writes.length) this.writes = this.writes.slice(0, frame.undo)
    this.busy = false
  },
  step: function (log, db) {
    this.busy = true
    if (this.hashed) { this.keep(this.word(log.stack.peek(0))); this.hashed = false }
    var contract = log.contract
    if (this.frames.length === 0)
      this.push(toHex(contract.getCaller()), toHex(contract.getAddress()), contract.getInput(), false)
    var op = log.op.toNumber(), frame = this.frames[this.frames.length - 1]
    if (frame.counts && (op === 32 || op === 84 || op === 85)) this.note(op, log, db, contract, frame)
    this.busy = false
  },
  note: function (op, log, db, contract, frame) {
    if (op === 32) {
      var start = Number(log.stack.peek(0).toString()), size = Number(log.stack.peek(1).toString())
      if (size >= 19 && size <= ${maxHashed}) this.hashed = this.isKey(toHex(log.memory.slice(start, start + size)).slice(2))
      return
    }
    if (frame.context === this.own) return
    var slot = this.word(log.stack.peek(0)), belongs = this.belongs(slot)
    var now = toHex(db.getState(contract.getAddress(), toWord('0x' + slot)))
    var names = now.indexOf(this.mark) >= 0
    if (op === 85) {
      if (!belongs && !names) return
      if (this.writes.length >= ${8 * maxReported}) this.overflows = true
      else this.writes.push([frame.context, '0x' + slot, now, '0x' + this.word(log.stack.peek(1)), frame.selectors])
      return
    }
    if (!names && (!belongs || /^0x0*$/.test(now))) return
    var key = frame.path + '|0x' + slot
    if (this.reads[key] !== undefined) return
    if (this.readCount++ >= ${maxReads}) this.overflows = true
    else this.reads[key] = [frame.path, '0x' + slot, names]
  },
  fault: function () {},
  result: function () {
    var slots = {}, order = [], self = this
    this.writes.forEach(function (write) {
      var key = write[0] + write[1], known = slots[key]
      if (known === undefined) {
        slots[key] = [write[0], write[1], write[2], write[3], [write[4]]]
        order.push(key)
      } else {
        known[3] = write[3]
        if (known[4].indexOf(write[4]) < 0) known[4].push(write[4])
      }
    })
    var changed = order.map(function (key) { return slots[key] }).filter(function (one) { return one[2] !== one[3] })
    return {
      writes: changed.slice(0, ${maxReported}),
      reads: Object.keys(self.reads).map(function (key) { return self.reads[key] }),
      settlements: self.settlements,
      isWhole: !self.busy && self.frames.length <= 1 && !self.overflows && changed.length <= ${maxReported}
    }
  }
}`
}
