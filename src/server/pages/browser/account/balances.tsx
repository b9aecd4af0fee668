import { useCallback } from 'preact/hooks'
import { queryService } from '../ask.ts'
import type { BalancesResult } from '../documents.generated.ts'
import { amountOf, dollars, symbolOf, type TokenLike, unnamedCoin } from '../view/amounts.ts'
import { TokenLink } from '../view/links.tsx'
import { leftToSellUp } from '../view/orders.ts'
import { type Polled, usePolled } from '../view/polled.ts'
import { DetailList, Fault, Loading, Section } from '../view/section.tsx'
import { type Column, Table } from '../view/table.tsx'
import { documents } from './documents.ts'

type Balance = BalancesResult['account']['balances']['nodes'][number]

interface Row extends Balance {
  /** Atoms that open orders may still sell. */
  offered: bigint | undefined
  usdValue: string | null | undefined
}

const refreshMs = 60_000
/** Larger allowances are those of wallets that approve without a limit. */
const unlimited = 1n << 128n

/** Reads what the account holds, and what its newest open orders may still sell. */
async function readBalances(account: string, network: string) {
  const { orders } = (await queryService(documents.openOrders, { account, network })).account
  const offered = new Map<string, bigint>()
  for (const order of orders.nodes) {
    // The contract of an order placed on chain has the amount already.
    if (order.onchainUser !== null) continue
    const { address } = order.sellToken
    offered.set(address, (offered.get(address) ?? 0n) + leftToSellUp(order))
  }
  const tokens = offered.size > 0 ? [...offered.keys()] : null
  const { coin, account: read } = await queryService(documents.balances, { account, network, tokens })
  const rows = read.balances.nodes
    .map((balance) => ({ ...balance, offered: offered.get(balance.token.address) }))
    .filter(({ balance, offered }) => balance !== '0' || offered !== undefined)
  return {
    coin,
    rows,
    hasMore: read.balances.pageInfo.hasNextPage,
    hasMoreOrders: orders.pageInfo.hasNextPage,
  }
}

async function readSurplus(account: string, network: string) {
  return (await queryService(documents.surplus, { account, network })).account
}

/** Balances of the account on a network, with the vault relayer's allowances. */
export function BalanceSection({ account, network }: { account: string; network: string }) {
  const read = useCallback(() => readBalances(account, network), [account, network])
  const { value, fault } = usePolled(read, refreshMs)
  const readValues = useCallback(async () => {
    const tokens = value?.rows.map(({ token }) => token.address) ?? []
    if (tokens.length === 0) return new Map<string, string | null>()
    const answer = await queryService(documents.balanceValues, { account, network, tokens })
    return new Map(answer.account.balances.nodes.map(({ token, usdValue }) => [token.address, usdValue]))
  }, [account, network, value])
  const values = usePolled(readValues)
  const surplus = usePolled(
    useCallback(() => readSurplus(account, network), [account, network]),
    refreshMs,
  )
  const coin = value?.coin ?? unnamedCoin
  const surplusOf = surplusText(surplus, coin)
  return (
    <Section id={`balances-${network}`} title={`Balances on ${network}`}>
      {fault !== undefined && <Fault text={fault} />}
      {!value && fault === undefined && <Loading />}
      {value && value.rows.length > 0 && (
        <Table
          label={`Balances on ${network}`}
          columns={columnsOf(network, coin)}
          nodes={value.rows.map((row) => ({ ...row, usdValue: values.value?.get(row.token.address) }))}
          keyOf={({ token }) => token.address}
        />
      )}
      {value?.rows.length === 0 && <p class="empty">No tokens that this service knows.</p>}
      {value?.hasMore && <p class="note">More tokens are not shown.</p>}
      {value?.hasMoreOrders && (
        <p class="note">Only the newest 50 open orders count here. The account has more.</p>
      )}
      {values.fault !== undefined && <p class="note">The price sources do not answer now.</p>}
      {value && surplusOf !== undefined && (
        <>
          <DetailList facts={[['Surplus of all trades', surplusOf]]} />
          <p class="note">
            Approved is the amount that the vault relayer may take, and only to fill orders that the account
            has signed; without a limit it may take any amount for them. Surplus is the amount that trades on{' '}
            {network} gave beyond the limits of the orders, in {symbolOf(coin)} at the prices of each auction.
          </p>
        </>
      )}
    </Section>
  )
}

/** Undefined until the first answer. */
function surplusText(
  { value, fault }: Polled<Awaited<ReturnType<typeof readSurplus>>>,
  coin: TokenLike,
): string | undefined {
  if (value !== undefined) {
    const counted = amountOf(value.totalSurplus, coin)
    return value.isTotalSurplusComplete ? counted : `${counted} or more: that of some trades is not known`
  }
  return fault === undefined ? undefined : 'Not known'
}

function columnsOf(network: string, coin: TokenLike): readonly Column<Row>[] {
  const isCoin = ({ token }: Row) => token.address === coin.address
  return [
    {
      label: 'Token',
      isPlain: true,
      cell: (row) =>
        isCoin(row) ? <bdi>{symbolOf(coin)}</bdi> : <TokenLink token={row.token} network={network} />,
    },
    {
      label: 'Balance',
      cell: ({ balance, token }) => (balance === null ? 'Not known' : amountOf(balance, token)),
    },
    { label: 'Value', cell: ({ usdValue }) => (usdValue == null ? '–' : dollars(usdValue)) },
    {
      label: 'In open orders',
      cell: ({ offered, token }) => (offered === undefined ? '–' : amountOf(offered, token)),
    },
    {
      label: 'Approved',
      cell: (row) => (isCoin(row) ? '–' : <Allowance row={row} />),
    },
  ]
}

/** The vault relayer's allowance; red if open orders sell more. */
function Allowance({ row: { allowance, offered = 0n, token } }: { row: Row }) {
  if (allowance === null) return 'Not known'
  const atoms = BigInt(allowance)
  if (atoms >= unlimited) return 'No limit'
  const text = amountOf(atoms, token)
  return atoms < offered ? <span class="bad">{text}: too low</span> : text
}
