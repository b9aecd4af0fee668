import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatUnits } from '../../../../domain/amount.ts'
import { terminalCodeOf } from '../../../../domain/diagnosis/terminal-code.ts'
import { grouped } from '../../../../domain/text/readable.ts'
import { nameInPath } from '../root.ts'
import { short, symbolOf } from '../view/amounts.ts'
import { ChainLink, CopyButton } from '../view/links.tsx'
import { isLive } from '../view/orders.ts'
import { DetailList, Fault, Section } from '../view/section.tsx'
import { findWallets, type Wallet } from '../view/wallets.ts'
import { TransactionLink } from './details.tsx'
import { leftToSellUp } from './fill.ts'
import { type Diagnosis, type Order, reasonsOf } from './order.ts'
import { approveWith, cancelWith, faultWords, mined, OtherNetwork, switchNetwork } from './wallet.ts'

interface Notice {
  text: string
  /** Transaction of an approval. */
  txHash?: string
}

type Action = (wallet: Wallet) => Promise<Notice>

/** Runs one action of the wallet at a time. */
function useAction(order: Order) {
  const [isBusy, setIsBusy] = useState(false)
  const [notice, setNotice] = useState<Notice>()
  const [fault, setFault] = useState<string>()
  /** The action that waits for the wallet to switch its network. */
  const [waiting, setWaiting] = useState<() => void>()
  const place = useRef<HTMLParagraphElement>(null)
  async function run(wallet: Wallet, action: Action, isSwitching = false): Promise<void> {
    setIsBusy(true)
    setFault(undefined)
    setWaiting(undefined)
    setNotice({ text: 'Continue in the wallet.' })
    try {
      if (isSwitching) await switchNetwork(wallet.provider, order)
      setNotice(await action(wallet))
      // The button is disabled.
      place.current?.focus()
    } catch (fault) {
      setNotice(undefined)
      if (fault instanceof OtherNetwork) setWaiting(() => () => run(wallet, action, true))
      else setFault(faultWords(fault, order))
    }
    setIsBusy(false)
  }
  return { isBusy, notice, setNotice, fault, waiting, run, place }
}

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
  const [isApproved, setIsApproved] = useState(false)
  const { isBusy, notice, setNotice, fault, waiting, run, place } = useAction(order)

  // Finished actions stay, so that nothing moves under the reader's eyes.
  const mayCancel = isLive(order) || isCancelled
  const isUnapproved = reasonsOf(diagnosis).some(({ code }) => code === 'ALLOWANCE_MISSING')
  const isOver = !isLive(order) || (diagnosis && terminalCodeOf(diagnosis) !== undefined)
  const mayApprove = (isUnapproved && !isOver && order.onchainUser === null) || isApproved
  if (!mayCancel && !mayApprove) return null

  const uid = nameInPath()
  const cancel: Action = async ({ provider }) => {
    const mayFill = await cancelWith(provider, order, uid)
    setIsCancelled(true)
    onDone()
    return { text: mayFill ? `${cancelled} A trade that is on its way can still fill it.` : cancelled }
  }
  const approve: Action = async ({ provider }) => {
    const txHash = await approveWith(provider, order, uid, leftToSellUp(order))
    setNotice({ text: 'The approval is sent. It counts when its transaction is in a block.', txHash })
    const isMined = await mined(provider, txHash)
    if (isMined === false) return { text: 'The token refused the approval: its transaction failed.', txHash }
    setIsApproved(true)
    onDone()
    return { text: isMined ? approved : 'The approval is sent, and in no block yet. See the wallet.', txHash }
  }
  const buttons = (label: string, action: Action, isDone: boolean) => (
    <WalletButtons
      {...{
        wallets,
        label,
        isDisabled: isBusy || isDone,
        owner: order.owner,
        onWallet: (each) => run(each, action),
      }}
    />
  )
  return (
    <Section id="actions" title="Actions of the owner">
      {mayApprove && (
        <div class="group">
          <h3>Approve the sell token</h3>
          <Approval order={order} />
          {buttons(`Approve ${leftOf(order)}`, approve, isApproved || isCancelled)}
        </div>
      )}
      {mayCancel && (
        <div class="group">
          <h3>Cancel the order</h3>
          {placeOfCancellation(order) ?? (
            <>
              <p>The owner signs a message. It costs nothing, and takes effect at once.</p>
              {buttons('Cancel the order', cancel, isCancelled)}
            </>
          )}
        </div>
      )}
      <div class="result">
        {waiting && (
          <>
            <p role="alert">The wallet is on another network than the order.</p>
            <div class="buttons">
              <button type="button" disabled={isBusy} onClick={waiting}>
                Switch the wallet to {order.network.name}
              </button>
            </div>
          </>
        )}
        {fault !== undefined && <Fault text={fault} />}
        <p class="notice" role="status" tabIndex={-1} ref={place}>
          {notice?.text}
          {notice?.txHash !== undefined && (
            <>
              {' '}
              Transaction <TransactionLink {...{ order, txHash: notice.txHash }} />
            </>
          )}
        </p>
      </div>
    </Section>
  )
}

const cancelled = 'The order is cancelled.'
const approved = 'Approved. The order returns to the auctions by itself.'

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

const longestName = 40

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
          {label} with {wallet.name.slice(0, longestName)}
        </button>
      ))}
    </div>
  )
}
