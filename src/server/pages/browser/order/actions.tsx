import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatUnits } from '../../../../domain/amount.ts'
import { terminalCodeOf } from '../../../../domain/diagnosis/terminal-code.ts'
import { grouped } from '../../../../domain/text/readable.ts'
import { nameInPath } from '../root.ts'
import { short, symbolOf } from '../view/amounts.ts'
import { ChainLink, CopyButton } from '../view/links.tsx'
import { isLive, leftToSellUp } from '../view/orders.ts'
import { DetailList, Fault, Section } from '../view/section.tsx'
import { findWallets, type Wallet } from '../view/wallets.ts'
import { TransactionLink } from './details.tsx'
import { type Diagnosis, type Order, reasonsOf } from './order.ts'
import { approveWith, cancelWith, faultWords, mined, OtherNetwork, switchNetwork } from './wallet.ts'

type Kind = 'approve' | 'cancel'

/** Actions of the wallet. They return the text of their result, if it has one to show at once. */
type Actions = Readonly<Record<Kind, (wallet: Wallet) => Promise<string | undefined>>>

/** Runs one action of the wallet at a time. */
function useActions(order: Order, actions: Actions) {
  const [isBusy, setIsBusy] = useState(false)
  const [notice, setNotice] = useState<string>()
  const [fault, setFault] = useState<string>()
  /** The action that waits for the wallet to switch its network. */
  const [waiting, setWaiting] = useState<{ kind: Kind; wallet: Wallet }>()
  const place = useRef<HTMLDivElement>(null)
  // The button that had the focus was disabled: the result takes it.
  useEffect(() => (isBusy ? () => place.current?.focus() : undefined), [isBusy])
  async function run(kind: Kind, wallet: Wallet, isSwitching = false): Promise<void> {
    setIsBusy(true)
    setFault(undefined)
    setWaiting(undefined)
    setNotice('Continue in the wallet.')
    try {
      if (isSwitching) await switchNetwork(wallet.provider, order)
      setNotice(await actions[kind](wallet))
    } catch (fault) {
      setNotice(undefined)
      if (fault instanceof OtherNetwork) setWaiting({ kind, wallet })
      else setFault(faultWords(fault, order))
    }
    setIsBusy(false)
  }
  return { isBusy, notice, fault, waiting, run, place }
}

/** An approval that was sent. */
interface Sent {
  txHash: string
  state: keyof typeof sentTexts
}

const sentTexts = {
  pending: 'The approval is sent. It counts when its transaction is in a block.',
  late: 'The approval is sent, and in no block yet. See the wallet.',
  failed: 'The token refused the approval: its transaction failed.',
  mined: 'Approved.',
} as const

interface Props {
  order: Order
  diagnosis: Diagnosis | undefined
  /** The order may have changed. */
  onDone(): void
}

/** Actions of the owner: to cancel the order, and to approve what it sells. */
export function Actions({ order, diagnosis, onDone }: Props) {
  const [wallets, setWallets] = useState<readonly Wallet[]>([])
  useEffect(() => findWallets(setWallets), [])
  const [isCancelled, setIsCancelled] = useState(false)
  const [sent, setSent] = useState<Sent>()
  const uid = nameInPath()
  const { isBusy, notice, fault, waiting, run, place } = useActions(order, {
    async cancel({ provider }) {
      const mayFill = await cancelWith(provider, order, uid)
      setIsCancelled(true)
      onDone()
      return mayFill ? `${cancelled} A trade that is on its way can still fill it.` : cancelled
    },
    async approve({ provider }) {
      setSent(undefined)
      const txHash = await approveWith(provider, order, uid, leftToSellUp(order))
      setSent({ txHash, state: 'pending' })
      // Other actions do not wait for the block.
      void mined(provider, txHash).then((isMined) => {
        setSent({ txHash, state: isMined === undefined ? 'late' : isMined ? 'mined' : 'failed' })
        if (isMined) onDone()
      })
      return undefined
    },
  })

  const isUnapproved = reasonsOf(diagnosis).some(({ code }) => code === 'ALLOWANCE_MISSING')
  const isOver = !isLive(order) || (diagnosis && terminalCodeOf(diagnosis) !== undefined)
  const isSent = sent !== undefined && sent.state !== 'failed'
  const isOffered: Readonly<Record<Kind, boolean>> = {
    approve: isUnapproved && !isOver && order.onchainUser === null && !isSent && !isCancelled,
    cancel: isLive(order) && !isCancelled,
  }
  // Actions that were offered stay as they were, so that nothing moves under the reader's eyes.
  const shown = useRef<Partial<Record<Kind, Order>>>({}).current
  for (const kind of ['approve', 'cancel'] as const) if (isOffered[kind]) shown[kind] = order
  if (!shown.cancel && !shown.approve) return null

  const buttons = (kind: Kind, label: string) => (
    <WalletButtons
      {...{
        wallets,
        label,
        isDisabled: isBusy || !isOffered[kind],
        owner: order.owner,
        onWallet: (each) => run(kind, each),
      }}
    />
  )
  return (
    <Section id="actions" title="Actions of the owner">
      {shown.approve && (
        <div class="group">
          <h3>Approve the sell token</h3>
          <Approval order={shown.approve} />
          {buttons('approve', `Approve ${leftOf(shown.approve)}`)}
        </div>
      )}
      {shown.cancel && (
        <div class="group">
          <h3>Cancel the order</h3>
          {placeOfCancellation(order) ?? (
            <>
              <p>
                The owner signs a message. It costs nothing. A trade that is on its way can still fill the
                order.
              </p>
              {buttons('cancel', 'Cancel the order')}
            </>
          )}
        </div>
      )}
      <div class={wallets.length > 0 ? 'result' : 'result bare'} tabIndex={-1} ref={place}>
        {waiting && (
          <>
            <p role="alert">The wallet is on another network than the order.</p>
            <div class="buttons">
              <button
                type="button"
                disabled={isBusy || !isOffered[waiting.kind]}
                onClick={() => run(waiting.kind, waiting.wallet, true)}
              >
                Switch the wallet to {order.network.name}
              </button>
            </div>
          </>
        )}
        {fault !== undefined && <Fault text={fault} />}
        <p class="notice" role="status">
          {notice}
        </p>
        <p class="notice" role="status">
          {sent && (
            <>
              {sentTexts[sent.state]} {sent.state === 'mined' && !isCancelled && returns} Transaction{' '}
              <TransactionLink {...{ order, txHash: sent.txHash }} />
            </>
          )}
        </p>
      </div>
    </Section>
  )
}

const cancelled = 'Cancelled.'
const returns = 'The order returns to the auctions by itself.'

/** All digits of the amount that is still to be sold. */
function leftOf(order: Order): string {
  const { sellToken } = order
  const unit = sellToken.decimals === null ? `atoms of ${symbolOf(sellToken)}` : symbolOf(sellToken)
  return `${grouped(formatUnits(leftToSellUp(order), sellToken.decimals ?? 0))} ${unit}`
}

function Approval({ order }: { order: Order }) {
  const { sellToken, network } = order
  return (
    <>
      <DetailList
        facts={[
          ['Amount', leftOf(order)],
          [
            'Token',
            <span key="t">
              <code class="hash">{sellToken.address}</code>
              <CopyButton text={sellToken.address} name="address of the approved token" />
            </span>,
          ],
          [
            'Spender',
            <span key="s">
              <code class="hash">{network.vaultRelayer}</code>
              <CopyButton text={network.vaultRelayer} name="address of the spender" />
            </span>,
          ],
        ]}
      />
      <p class="note">
        The spender is the vault relayer on {network.name}. It may take this amount and no more. This approval
        replaces an earlier one of the same token, which other open orders may need. The transaction costs
        gas.
      </p>
    </>
  )
}

/** The place where an order without a key’s signature is cancelled; undefined if the service cancels it. */
function placeOfCancellation(order: Order): ComponentChildren {
  const { signingScheme, onchainUser, owner, network } = order
  const contract = (id: string) => <ChainLink explorer={network.explorerUrl} kind="address" id={id} />
  if (onchainUser !== null)
    return (
      <p>
        The account {contract(onchainUser)} placed this order on chain, and cancels it there: it calls{' '}
        <code>invalidateOrder</code> of the contract {contract(owner)}.
      </p>
    )
  if (signingScheme === 'EIP712' || signingScheme === 'ETHSIGN') return undefined
  return (
    <p>
      {signingScheme === 'PRESIGN' ? 'This order is signed on chain' : 'A contract wallet signed this order'}:
      the owner cancels it on chain. The account calls <code>invalidateOrder</code> of the settlement contract{' '}
      {contract(network.settlementContract)}.
    </p>
  )
}

interface ButtonProps {
  wallets: readonly Wallet[]
  label: string
  isDisabled: boolean
  owner: string
  onWallet(wallet: Wallet): void
}

const maxName = 40

function WalletButtons({ wallets, label, isDisabled, owner, onWallet }: ButtonProps) {
  if (wallets.length === 0)
    return (
      <p class="note">
        There is no wallet in this browser. Open this page in the browser that has the wallet of{' '}
        <code>{short(owner)}</code>.
      </p>
    )
  return (
    <div class="buttons">
      {wallets.map((wallet) => (
        <button key={wallet.id} type="button" disabled={isDisabled} onClick={() => onWallet(wallet)}>
          {label} with {wallet.name.slice(0, maxName)}
        </button>
      ))}
    </div>
  )
}
