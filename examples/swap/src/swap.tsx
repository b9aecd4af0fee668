import { type FormEvent, useState } from 'react'
import { placeOrder } from 'tradegraph/client'
import { amountText, decimalText, parseAmount, symbolOf } from './amounts.ts'
import { type Balance, keyOf, type Order, useBalances, useQuote } from './data.ts'
import { Field } from './field.tsx'
import { useAction } from './tasks.ts'
import { approve, type Session } from './wallet.ts'

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
  // Orders cannot sell the chain’s own coin, which stands at this address.
  const sellable = tokens.filter((one) => keyOf(one) !== `0x${'e'.repeat(40)}`)
  const sell = balances.get(sellKey) ?? sellable[0]
  const buy = balances.get(buyKey) ?? tokens.find((one) => one !== sell)
  const amount = sell && parseAmount(text, sell.token)
  const { quote, problem: unquoted } = useQuote(session, sell, buy, amount)
  if (!sell || !buy) return <p role="status">{unread ?? 'Reading tokens…'}</p>

  const [sellToken, buyToken] = [sell.token, buy.token]
  const limit = limitText === '' ? quote?.order.buyAmount : parseAmount(limitText, buyToken)
  const isShort = amount !== undefined && sell.balance !== null && amount > sell.balance
  // An approval replaces the one before: it also has to cover what open orders still sell of the token.
  const needed = orders
    .filter((order) => order.status === 'OPEN' && keyOf({ token: order.sellToken }) === keyOf(sell))
    .reduce((sum, order) => sum + order.sellAmount - order.executedSellAmount, amount ?? 0n)
  const isApproved = sell.allowance !== null && sell.allowance >= needed

  async function sign() {
    if (!quote || amount === undefined || limit === undefined) return
    // What the page shows is signed, whatever the quote has.
    const tokens = { sellToken: sellToken.address, buyToken: buyToken.address, receiver: account }
    const order = { ...quote.order, ...tokens, sellAmount: amount, buyAmount: limit }
    await placeOrder(client, { ...quote, order, signer: provider, from: account, network: network.name })
    setText('')
    setLimitText('')
    setDone(`Placed: sell ${amountText(amount, sellToken)}.`)
  }
  async function allow() {
    const terms = { from: account, token: sellToken.address, spender: network.vaultRelayer, amount: needed }
    await approve(provider, terms, AbortSignal.timeout(300_000))
    setDone(`Approved ${amountText(needed, sellToken)}.`)
  }
  function submit(event: FormEvent) {
    event.preventDefault()
    setDone('')
    if (isApproved) run('Sign in the wallet…', sign)
    else run('Waits for the approval…', allow)
  }
  function chooseBuy(key: string) {
    setBuyKey(key)
    setLimitText('')
  }
  function add(address: string) {
    if (/^0x[0-9a-fA-F]{40}$/.test(address)) setFurther([...further, address])
  }

  return (
    <form onSubmit={submit}>
      <TokenChoice label="Sell" value={sell} tokens={sellable} onChoice={setSellKey} />
      <Field label="Amount to sell" inputMode="decimal" value={text} onText={setText} />
      {text !== '' && amount === undefined && (
        <p role="alert">Enter an amount of {symbolOf(sellToken)}, such as 0.1.</p>
      )}
      {isShort && <p role="alert">The account holds less than that.</p>}
      <TokenChoice label="Buy" value={buy} tokens={tokens} onChoice={chooseBuy} />
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
      <button type="submit" disabled={!quote || limit === undefined || isShort || busy !== undefined}>
        {busy ??
          (!quote || isApproved ? 'Sign and place the order' : `Approve ${amountText(needed, sellToken)}`)}
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
      <small>
        Balance: {held} <code>{value.token.address}</code>
      </small>
    </label>
  )
}
