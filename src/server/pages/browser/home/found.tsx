import type { ComponentChildren } from 'preact'
import type { ExplainedError } from '../../../../domain/errors/error-explanations.ts'
import type { Explanation } from '../../../../domain/errors/explanation.ts'
import { orderQuestionText } from '../../../../domain/search/order-question.ts'
import { secretTexts, sentTexts } from '../../../../domain/search/secret.ts'
import type { Term } from '../../../../domain/search/terms.ts'
import type { FoundToken } from '../../../../domain/search/tokens.ts'
import type { Topic } from '../../../../domain/search/topics.ts'
import { signatureMistakes } from '../../../../domain/signing/signature-mistake.ts'
import type { HomeResult } from '../documents.generated.ts'
import { serviceUrl } from '../root.ts'
import { short, symbolOf } from '../view/amounts.ts'
import { AuctionLink, ChainLink, PageLink, ProgrammaticLink, TokenLink } from '../view/links.tsx'
import { SecretWarning } from '../view/secret-warning.tsx'
import type { SearchResult } from './find.ts'

const account = '0x5c1f0a9e3b7d24c68e1f5a0b9c3d7e2f4a6b8c0d'
const transaction = '0x3e8b51c7d9024fa6817be3d05c92a4f67018d3b9e5c4270f9a1b6d8e2c5f7043'
/** The digits of an order id: a hash, its account and its expiry. */
const order = `0x91d4a7f03c6be258f17094bd6ae3c5820f7d1b94e6a0385c2bf97d41e08a6c35${account.slice(2)}68f2a1c0`

/** Examples of searchable texts. @param hasMore includes other subjects than orders */
function Shapes({ hasMore = false }: { hasMore?: boolean }) {
  const shapes = [
    ['The address of your account, to see all its orders: 0x and 40 digits from 0 to 9 and a to f', account],
    ['The order id, which wallets also call its hash or UID: 0x and 112 digits', order],
    ['The transaction of a trade, or the hash of a programmatic order: 0x and 64 digits', transaction],
    ...(hasMore
      ? ([
          ['An error: all that the wallet shows, or its word', 'InsufficientBalance'],
          ['The number of an auction', '1024'],
          ['A token, by its symbol, its name or its address, or a pair', 'WETH/USDC'],
          ['A code, a status or a setting', 'PRICE_OUT_OF_REACH'],
          ['A topic', 'slippage'],
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

type Networks = HomeResult['networks']

const byEnglish =
  'Errors are found by their English text or by their code. The code, such as InsufficientBalance, is the same in all languages.'

/** A found result without a page of its own. */
export function Found({
  result,
  isInAddress,
  networks,
}: {
  result: SearchResult
  /** True if the page was opened at an address with the text. */
  isInAddress: boolean
  networks: Networks
}) {
  switch (result.kind) {
    case 'page':
      return null
    case 'errors':
      return <FoundErrors found={result} networks={networks} />
    case 'orders':
      return <FoundOrders found={result} />
    case 'programmatic':
      return (
        <div class="group">
          <h2>Which programmatic order is it?</h2>
          <ul class="plain-list">
            {result.orders.map(({ id, owner, hash }) => (
              <li key={id}>
                <ProgrammaticLink id={id} text={short(hash)} /> of <PageLink kind="account" id={owner} />
              </li>
            ))}
          </ul>
        </div>
      )
    case 'question':
      return (
        <div class="group">
          <h2>Which order is it?</h2>
          <p>{orderQuestionText}</p>
          <Shapes />
          {result.asks === 'also' && <p>Or is it the text of an error? {byEnglish}</p>}
        </div>
      )
    case 'secret':
      return <SecretWarning secret={result.secret} isInAddress={isInAddress} />
    case 'terms':
      return (
        <>
          {result.errors.map(withTitle).map((error) => (
            <FoundError key={error.title} error={error} networks={networks} />
          ))}
          <FoundTerms terms={result.terms} />
          <FoundTopics topics={result.topics} networks={networks} />
          <TokensOfWord tokens={result.tokens} />
        </>
      )
    case 'topics':
      return (
        <>
          <FoundTopics topics={result.topics} networks={networks} />
          <TokensOfWord tokens={result.tokens} />
        </>
      )
    case 'guess':
      return <Guesses guess={result} />
    case 'tokens':
      return (
        <>
          <FoundTokens groups={result.groups} />
          <FoundTopics topics={result.topics} networks={networks} />
        </>
      )
    case 'ens':
      return (
        <div class="group">
          <h2>Names are not looked up here</h2>
          <p>
            Paste the address that the name stands for: 0x and 40 digits. Wallets and explorers of the network
            show it.
          </p>
          <Shapes />
        </div>
      )
    case 'cut':
      return (
        <div class="group">
          <h2>This number is {(result.digits ?? 0) > 112 ? 'too long' : 'cut short'}</h2>
          <p>
            {result.digits !== undefined && `It has ${result.digits} digits after 0x. `}
            Copy it whole, and nothing else: wallets and pages leave out digits where they show a number, and
            have a button that copies it.
          </p>
          <Shapes />
        </div>
      )
    case 'unasked':
      return (
        <div class="group">
          <h2>Is this a transaction?</h2>
          <p>
            A private key with 0x has the same form. Only its first 8 digits were sent to the service, to look
            for a programmatic order with this hash: there is none. If it is a transaction,{' '}
            <a href={serviceUrl(`?q=${result.hash}`)}>look it up</a>.
          </p>
          <p>{secretTexts.key.meaning} Never paste one into a page.</p>
        </div>
      )
    case 'nothing':
      return (
        <div class="group">
          <h2>Nothing was found</h2>
          <p>{result.text ?? byEnglish}</p>
          {result.mayBeKey && <p role="alert">{sentTexts.asTransaction}</p>}
          <Shapes hasMore />
        </div>
      )
  }
}

function FoundErrors({
  found: { foreign, errors, named, auction },
  networks,
}: {
  found: Extract<SearchResult, { kind: 'errors' }>
  networks: Networks
}) {
  const shown = [...(foreign ? [{ ...foreign, approves: false }] : []), ...errors.map(withTitle)]
  const [first, ...others] = shown
  if (!first) return null
  return (
    <>
      <FoundError error={first} networks={networks}>
        <AlsoNamed named={named} hasContract={first.approves} />
      </FoundError>
      {auction !== undefined && (
        <p>
          Or was it <AuctionLink id={auction} />?
        </p>
      )}
      {others.length > 0 && <p>These errors have a similar text:</p>}
      {others.map((error) => (
        <FoundError key={error.title} error={error} networks={networks} />
      ))}
    </>
  )
}

/** Links to what a text may be about. */
function Guesses({ guess: { errors, topics } }: { guess: Extract<SearchResult, { kind: 'guess' }> }) {
  const guessed = [
    ...topics.map(({ title, text }) => [title, text] as const),
    ...errors.map(({ code, meaning }) => [code, meaning] as const),
  ]
  return (
    <>
      <div class="group">
        <h2>Is it one of these?</h2>
        <p>The text has no single meaning. If the wallet showed no error, look at the order’s page.</p>
      </div>
      {guessed.map(([title, text]) => (
        <div class="group" key={title}>
          <h3>
            <a href={serviceUrl(`?q=${encodeURIComponent(title)}`)}>{title}</a>
          </h3>
          <p>{text}</p>
        </div>
      ))}
      <Shapes />
    </>
  )
}

/** Names of the service. Those of a whole name are the same word, or few. */
function FoundTerms({ terms }: { terms: readonly Term[] }) {
  return (
    <>
      {terms.map(({ name, kind, meaning, advice }) => (
        <div class="group" key={kind + name}>
          <h2>{name}</h2>
          <p class="note">{kind}</p>
          <p>{meaning}</p>
          {advice !== undefined && (
            <p>
              <strong>What to do:</strong> {advice}
            </p>
          )}
        </div>
      ))}
    </>
  )
}

function FoundTopics({ topics, networks }: { topics: readonly Topic[]; networks: Networks }) {
  return (
    <>
      {topics.map(({ title, text, page, list, approves = false }) => (
        <div class="group" key={title}>
          <h2>{title}</h2>
          <p>{text}</p>
          {approves && <Approved networks={networks} />}
          {list !== undefined && (
            <p>
              <a href={serviceUrl(list)}>All {list.replace('-', ' ')}</a>
            </p>
          )}
          {page !== undefined && (
            <p>
              <a href={serviceUrl(`docs/${page}`)}>More in the documentation</a>
            </p>
          )}
        </div>
      ))}
      {topics.some(({ asksOrder }) => asksOrder) && <Shapes />}
    </>
  )
}

/** Tokens whose name has another meaning here, which comes first. */
const TokensOfWord = ({ tokens = [] }: { tokens?: FoundToken[] | undefined }) =>
  tokens.length > 0 ? <FoundTokens groups={[tokens]} title="Or is it this token?" /> : null

/** Tokens by names that anyone can choose: each is shown with its address, and none is the one. */
function FoundTokens({
  groups,
  title = 'Is it this token?',
}: {
  groups: readonly FoundToken[][]
  /** Heading of one group. */
  title?: string
}) {
  return (
    <>
      {groups.map((tokens, index) => (
        <div class="group" key={index}>
          <h2>{groups.length > 1 ? ['The first token', 'The second token'][index] : title}</h2>
          {tokens.length === 0 && (
            <p>No token of this name or symbol is known here. Search for its address.</p>
          )}
          <ul class="plain-list">
            {tokens.map(({ name, network, hasPrice, ...token }) => (
              <li key={network + token.address}>
                <TokenLink token={token} network={network} />{' '}
                <bdi>{symbolOf({ symbol: name, address: '' })}</bdi> on {network}
                {hasPrice ? '' : ', without a price'}: <code class="hash">{token.address}</code>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <p class="note">
        Anyone can create a token with any name and symbol. Compare the address with the one that its issuer
        publishes.
      </p>
    </>
  )
}

type Titled = Explanation & Pick<ExplainedError, 'approves'> & { title: string }

const withTitle = (error: ExplainedError): Titled => ({ ...error, title: error.code })

function FoundError({
  error,
  networks,
  children,
}: {
  error: Titled
  networks: Networks
  children?: ComponentChildren
}) {
  const { title, meaning, advice, approves, outcome } = error
  return (
    <div class="group">
      <h2>{title}</h2>
      <p>{meaning}</p>
      {children}
      <p>
        <strong>What to do:</strong> {advice}
      </p>
      {approves && <Approved networks={networks} />}
      <p class="note">{outcome}</p>
    </div>
  )
}

/** The contract to approve. */
function Approved({ networks }: { networks: Networks }) {
  return (
    <>
      {networks.map(({ name, vaultRelayer, explorerUrl }) => (
        <p key={name}>
          The contract to approve on {name}:{' '}
          <ChainLink explorer={explorerUrl} kind="address" id={vaultRelayer} />
        </p>
      ))}
    </>
  )
}

/** Names in a text besides its error. Its author may be a stranger: it is quoted, not confirmed. */
function AlsoNamed({
  named: { order, transaction, addresses, contracts, signer, mistake },
  hasContract,
}: {
  named: Extract<SearchResult, { kind: 'errors' }>['named']
  /** The error names it already. */
  hasContract: boolean
}) {
  const others = addresses.filter((address) => address !== signer?.signed && address !== signer?.owner)
  return (
    <>
      {order !== undefined && (
        <p>
          The text names the order <PageLink kind="order" id={order} />.
        </p>
      )}
      {transaction !== undefined && (
        <p>
          The text names the transaction <a href={serviceUrl(`?q=${transaction}`)}>{short(transaction)}</a>.
        </p>
      )}
      {mistake !== undefined && (
        <p>
          The text names the mistake <code>{mistake}</code>: {signatureMistakes[mistake]}
        </p>
      )}
      {signer && (
        <p>
          The text says that <PageLink kind="account" id={signer.signed} /> signed, and that the order belongs
          to <PageLink kind="account" id={signer.owner} />.
        </p>
      )}
      {others.map((address) => (
        <p key={address}>
          The text names <a href={serviceUrl(`?q=${address}`)}>{short(address)}</a> too.
        </p>
      ))}
      {!hasContract &&
        contracts.map(({ address, name }) => (
          <p key={address}>
            <code>{short(address)}</code> in the text is {name}, not an account.
          </p>
        ))}
    </>
  )
}

function FoundOrders({ found: { orders, auctions } }: { found: Extract<SearchResult, { kind: 'orders' }> }) {
  return (
    <div class="group">
      <h2>The transaction traded {orders.length} orders</h2>
      <ul class="plain-list">
        {orders.map(({ uid, text }) => (
          <li key={uid}>
            <PageLink kind="order" id={uid} /> {text}
          </li>
        ))}
      </ul>
      {auctions.map(({ id, network }) => (
        <p key={id}>
          It settled <AuctionLink id={id} network={network} />.
        </p>
      ))}
    </div>
  )
}
