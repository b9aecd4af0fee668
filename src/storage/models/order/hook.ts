import { hookOutcomes, hookPhases, unknownHookReasons } from '../../../domain/settlement/hooks.ts'
import { amount, asText, bytes32, enumOf, safeInt, string } from '../../query/codec.ts'
import { column, derived, hasAll, type Model, orNull, type Relation } from '../../query/model.ts'
import { areTradesComplete } from '../completeness.ts'

/** Limit of calls of one hook: a partially fillable order can have any number of trades. */
const maxCalls = 100

const fields = {
  outcome: orNull(
    column(
      enumOf('HookOutcome', hookOutcomes),
      'hc.outcome',
      'Its outcome; null if unknown, for unknownReason.',
    ),
  ),
  unknownReason: orNull(
    derived(
      enumOf('UnknownHookReason', unknownHookReasons),
      'hc.unknown',
      'The reason why the outcome is unknown; null if it is known.',
    ),
  ),
  reason: orNull(
    column(
      string,
      'hc.reason',
      'The response of the contract that reverted: its message, a panic code, or the beginning of its data in hex. Null without one.',
    ),
  ),
  gasUsed: orNull(
    derived(amount, 'hc.gas_used::numeric', 'Gas units that it used; null if the trace does not have them.'),
  ),
  txHash: column(bytes32, 'hc.tx_hash', 'The settlement’s transaction.'),
  blockNumber: column(safeInt, 'hc.block_number', 'Its block.'),
}

export const hookCall: Model = {
  name: 'HookCall',
  description: 'A hook in one settlement, by the trace of its transaction.',
  fields,
}

/**
 * SQL condition: a trade of order `o` that runs hook `hk` of phase `hp` has no call of it, or the order book
 * reports a trade that is not here.
 */
const lacksCalls = `(EXISTS (SELECT FROM (SELECT kt.*, row_number() OVER (ORDER BY kt.block_number, kt.log_index) AS fill
    FROM trades kt WHERE kt.order_id = o.id) kt WHERE (hp.phase = 'post' OR kt.fill = 1) AND NOT EXISTS (
      SELECT FROM hook_calls kc WHERE kc.chain_id = kt.chain_id AND kc.block_number = kt.block_number AND kc.log_index = kt.log_index
        AND kc.phase = hp.phase AND kc.position = hk.nth - 1))
  OR NOT ${areTradesComplete})`

export const orderHook: Model = {
  name: 'OrderHook',
  description: 'A call of its own that an order names in appData: a settlement makes it around the trade.',
  fields: {
    phase: derived(enumOf('HookPhase', hookPhases), 'hp.phase', 'Its phase: before or after the trade.'),
    target: derived(asText('Address'), `lower(hk.item->>'target')`, 'The contract called.'),
    callData: derived(asText('Hex'), `lower(hk.item->>'callData')`, 'The call.', { weight: 8 }),
    gasLimit: derived(
      amount,
      `(hk.item->>'gasLimit')::numeric`,
      'Gas units that it may use. One that needs more fails; the settlement does not.',
    ),
    ...hasAll(
      'calls',
      `NOT ${lacksCalls}`,
      'while a settlement of the order is not looked at yet; there is no entry for it.',
    ),
  },
  relations: {
    calls: {
      kind: 'many',
      model: () => hookCall,
      rows: `hook_calls hc WHERE hc.order_id = o.id AND hc.phase = hp.phase AND hc.position = hk.nth - 1
        ORDER BY hc.block_number DESC, hc.log_index DESC LIMIT ${maxCalls}`,
      items: 2,
      description: `What became of it in each settlement of the order, newest first, at most ${maxCalls}. Before the trade it runs with the order’s first fill only.`,
    },
  },
}

const hooksInDocument = `(SELECT CASE json_typeof(d.document::json->'metadata')
    WHEN 'object' THEN d.document::json->'metadata'->'hooks' ELSE d.document::json->'backend'->'hooks' END AS hooks
  FROM app_data d WHERE d.hash = o.app_data)`

/** Hooks of order `o`. `only`: most orders have none, and no document is parsed for them. */
export const orderHooks: Relation = {
  kind: 'many',
  model: () => orderHook,
  rows: `${hooksInDocument} dh CROSS JOIN (VALUES (0, 'pre'), (1, 'post')) AS hp(place, phase)
    CROSS JOIN LATERAL json_array_elements(CASE json_typeof(dh.hooks->hp.phase) WHEN 'array' THEN dh.hooks->hp.phase ELSE '[]' END)
      WITH ORDINALITY AS hk(item, nth)
    ORDER BY hp.place, hk.nth`,
  only: 'o.interactions IS NOT NULL',
  items: 2,
  description:
    'The order’s hooks: those before the trade, then those after it, each in their order, with their outcomes in settlements. Empty where fullAppData is null, or not verified: then they are not known.',
}
