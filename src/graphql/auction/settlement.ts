import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import { longestAccountRange } from '../../domain/settlement/account.ts'
import { accountingOf } from '../../storage/models/auction/accounting.ts'
import {
  listedSettlements,
  settlement,
  settlementsOfTransaction,
} from '../../storage/models/auction/settlement.ts'
import { builder } from '../builder.ts'
import { tradingOn } from '../context/networks.ts'
import { NetworkRef, SettlementRef } from '../refs.ts'
import { networkArgument } from '../relay/paging.ts'
import { exposeModel } from '../stored/expose.ts'
import { identityOf } from '../stored/resolve.ts'
import { storedRoot } from '../stored/root.ts'

exposeModel(settlement)
exposeModel(accountingOf.model())

builder.objectField(SettlementRef, 'network', (t) =>
  t.field({
    type: NetworkRef,
    nullable: true,
    description: 'Where it is.',
    resolve: (parent, _args, { networks }) =>
      networks.byChainId(identityOf<{ chainId: number }>(parent).chainId)?.network,
  }),
)

builder.queryFields((t) => {
  const network = networkArgument(t.arg, 'May be left out where there is only one.')
  const block = (description: string) => t.arg({ type: 'SafeInt', required: true, description })
  return {
    settlements: storedRoot(t, listedSettlements, {
      args: {
        network,
        solver: t.arg({ type: 'Address', required: false, description: 'Only those of this solver.' }),
      },
      rowArguments: ({ network, solver, ...page }: SettlementsArguments, environment) => ({
        ...page,
        solver: solver ?? null,
        chainId: tradingOn(environment, network).network.chainId,
      }),
    }),
    settlementsOfTransaction: storedRoot(t, settlementsOfTransaction, {
      args: { network, hash: t.arg({ type: 'Bytes32', required: true, description: 'The transaction.' }) },
      rowArguments: ({ network, hash }: { network?: string; hash: Bytes32 }, environment) => ({
        hash,
        chainId: tradingOn(environment, network).network.chainId,
      }),
    }),
    accounting: storedRoot(t, accountingOf, {
      args: {
        network,
        fromBlock: block('The first block.'),
        toBlock: block('The last block.'),
      },
      rowArguments: ({ network, fromBlock, toBlock }: AccountingArguments, environment) => {
        const { chainId, blockTimeMs } = tradingOn(environment, network).network
        const longest = longestAccountRange(blockTimeMs)
        if (toBlock < fromBlock || toBlock - fromBlock >= longest) {
          const range = `from fromBlock, ${longest} blocks at most`
          throw new Refusal('InvalidParameter', `toBlock must be ${range}`, { field: 'toBlock' })
        }
        return { chainId, from: fromBlock, to: toBlock }
      },
    }),
  }
})

interface SettlementsArguments {
  network?: string
  solver?: Address | null
}

interface AccountingArguments {
  network?: string
  fromBlock: number
  toBlock: number
}
