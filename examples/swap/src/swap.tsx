import { type FormEvent, type InputHTMLAttributes, useState } from 'react'
import { appDataHash, placeOrder } from 'tradegraph-client'
import { amountText, decimalText, nativeCoin, parseAmount, symbolOf } from './amounts.ts'
import { appData, type Balance, keyOf, type Order, useBalances, useQuote, validFor } from './data.ts'
import { useAction } from './tasks.ts'
import { approve, type Session, settlement, verify } from './wallet.ts'

export function Swap({ session, orders }: { session: Session; orders: readonly Order[] }) {
  const { client, provider, account, network } = session
  const [further, setFurther] = useState([network.wrappedNative.address])
  const { balances, problem: unread } = useBalances(session, further)
  const [sellKey, setSellKey] = useState(network.wrappedNative.address.toLowerCase())
  const [buyKey, setBuyKey] = useState('')
  const [text, setText] = useState('')
  const [limitText, setLimitText] = useState('')
  const [done, setDone] = useState('')
  const { busy, problem, run } = useAction()

  const tokens = [...balances.values()]
  const sellable = tokens.filter((one) => keyOf(one) !== nativeCoin)
  const sell = balances.get(sellKey) ?? sellable[0]
  const buy = balances.get(buyKey) ?? sellable.find((one) => one !== sell)
  const amount = sell && parseAmount(text, sell.token)
  const { quote, problem: unquoted } = useQuote(session, sell, buy, amount)
  if (!sell || !buy) return <p role="status">{unread ?? 'Reading tokens…'}</p>

  const [sellToken, buyToken] = [sell.token, buy.token]
  const limit = limitText === '' ? quote?.order.buyAmount : parseAmount(limitText, buyToken)
  const isShort = amount !== undefined && sell.balance !== null && amount > sell.balance
  const isApproved = amount !== undefined && sell.allowance !== null && sell.allowance >= amount
  // An approval replaces the one before, which open orders of the token may need.
  const allowance = (isApproved ? sell.allowance : amount) ?? 0n
  const open = orders
    .filter((order) => order.status === 'OPEN' && keyOf({ token: order.sellToken }) === keyOf(sell))
    .reduce((sum, order) => sum + order.sellAmount - order.executedSellAmount, 0n)

  async function sign() {
    if (!quote || amount === undefined || limit === undefined) return
    await verify(session, [sellToken, buyToken])
    const amounts = { sellAmount: amount, buyAmount: limit, feeAmount: 0n, partiallyFillable: false }
    // Every member is the page’s own, whatever the quote has. Its time can only be shortened.
    const order = {
      sellToken: sellToken.address,
      buyToken: buyToken.address,
      receiver: account,
      ...amounts,
      ...({ kind: 'SELL', sellTokenBalance: 'ERC20', buyTokenBalance: 'ERC20' } as const),
      validTo: Math.min(quote.order.validTo, Math.floor(Date.now() / 1_000) + validFor),
      appData: appDataHash(appData),
      typedData: { domain: { chainId: network.chainId, verifyingContract: settlement } },
    }
    await placeOrder(client, { order, quoteId: quote.quoteId, appData, signer: provider, from: account })
    withoutLimit(setText)('')
    setDone(`Placed: sell ${amountText(amount, sellToken)}.`)
  }
  async function allow() {
    await verify(session, [sellToken, buyToken])
    await approve(session, sellToken.address, allowance)
    setDone(`Approved ${amountText(allowance, sellToken)}.`)
  }
  function submit(event: FormEvent) {
    event.preventDefault()
    setDone('')
    if (isApproved) run('Sign in the wallet…', sign)
    else run('Waits for the approval…', allow)
  }
  // A limit is for the terms that it was entered for.
  const withoutLimit = (set: (text: string) => void) => (text: string) => {
    set(text)
    setLimitText('')
  }
  const add = (text: string) => /^0x[0-9a-fA-F]{40}$/.test(text) && setFurther([...further, text])

  return (
    <form onSubmit={submit}>
      <TokenChoice label="Sell" value={sell} tokens={sellable} onChoice={withoutLimit(setSellKey)} />
      <Field label="Amount to sell" inputMode="decimal" value={text} onText={withoutLimit(setText)} />
      {text !== '' && amount === undefined && (
        <p role="alert">Enter an amount of {symbolOf(sellToken)}, such as 0.1.</p>
      )}
      {isShort && <p role="alert">The account holds less than that.</p>}
      <TokenChoice label="Buy" value={buy} tokens={tokens} onChoice={withoutLimit(setBuyKey)} />
      <Field
        label="Receive no less than"
        inputMode="decimal"
        value={limitText}
        placeholder={quote && decimalText(quote.order.buyAmount, buyToken)}
        onText={setLimitText}
      />
      <p role="status">
        {quote
          ? `Quote: ${amountText(quote.quote.buyAmount, buyToken)}, costs included.`
          : amount !== undefined && !unquoted && 'Quoting…'}
      </p>
      {quote?.warnings.map(({ code, summary, advice }) => (
        <p key={code}>{`${summary} ${advice}`}</p>
      ))}
      {unquoted && <p role="alert">{unquoted}</p>}
      {quote && !isApproved && <p>{`The approval is for the spender ${network.vaultRelayer}.`}</p>}
      {amount !== undefined && open > 0n && allowance < open + amount && (
        <p>{`Open orders sell ${amountText(open, sellToken)} more, which the allowance does not cover.`}</p>
      )}
      <button type="submit" disabled={!quote || limit === undefined || isShort || busy !== undefined}>
        {busy ??
          (!quote || isApproved ? 'Sign and place the order' : `Approve ${amountText(allowance, sellToken)}`)}
      </button>
      {problem && <p role="alert">{problem}</p>}
      <p role="status">{done}</p>
      <Field label="Add a token by its address" onText={add} />
      {unread && <p role="alert">{unread}</p>}
    </form>
  )
}

type Choice = { label: string; value: Balance; tokens: readonly Balance[]; onChoice: (key: string) => void }

function TokenChoice({ label, value, tokens, onChoice }: Choice) {
  const held = value.balance === null ? 'unknown' : amountText(value.balance, value.token)
  return (
    <label>
      {label}
      <select value={keyOf(value)} onChange={({ target }) => onChoice(target.value)}>
        {tokens.map((one) => (
          <option key={keyOf(one)} value={keyOf(one)}>
            {symbolOf(one.token)} ({keyOf(one).slice(0, 8)}…)
          </option>
        ))}
      </select>
      <small>{`Balance: ${held} ${value.token.address}`}</small>
    </label>
  )
}

type FieldProps = InputHTMLAttributes<HTMLInputElement> & { label: string; onText(text: string): unknown }

export const Field = ({ label, onText, ...rest }: FieldProps) => (
  <label>
    {label}
    <input autoComplete="off" {...rest} onChange={({ target }) => onText(target.value)} />
  </label>
)
