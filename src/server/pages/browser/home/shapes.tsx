const account = '0x5c1f0a9e3b7d24c68e1f5a0b9c3d7e2f4a6b8c0d'
const transaction = '0x3e8b51c7d9024fa6817be3d05c92a4f67018d3b9e5c4270f9a1b6d8e2c5f7043'
/** The digits of an order’s number: a hash, its account and its expiry. */
const order = `0x91d4a7f03c6be258f17094bd6ae3c5820f7d1b94e6a0385c2bf97d41e08a6c35${account.slice(2)}68f2a1c0`

/** What can be searched for, and what each looks like. @param hasMore of what is not about an order, too */
export function Shapes({ hasMore = false }: { hasMore?: boolean }) {
  const shapes = [
    ['The address of your account, to see all its orders: 0x and 40 digits from 0 to 9 and a to f', account],
    ['The number of the order, which wallets also call its id, hash or UID: 0x and 112 digits', order],
    ['The transaction of a trade: 0x and 64 digits', transaction],
    ...(hasMore
      ? ([
          ['An error: all that the wallet shows, or its word', 'InsufficientBalance'],
          ['The number of an auction', '1024'],
        ] as const)
      : []),
  ] as const
  return (
    <>
      <p>Copy one of these from your wallet, and paste it above:</p>
      <ul class="plain-list">
        {shapes.map(([what, example]) => (
          <li key={what}>
            {what}, such as <code class="hash">{example}</code>
          </li>
        ))}
      </ul>
    </>
  )
}
