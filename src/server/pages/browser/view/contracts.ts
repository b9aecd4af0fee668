/** A network’s own contracts on pages. */
export interface NetworkContracts {
  name: string
  vaultRelayer: string
  settlementContract: string
}

/** Such as “sepolia (test network)”. */
export const networkText = ({ name, isTest }: { name: string; isTest: boolean }): string =>
  isTest ? `${name} (test network)` : name

export interface Contract {
  /** Such as “the vault relayer on sepolia”. */
  name: string
  /** Its purpose, for people who took it for an account. */
  use: string
}

/** The service’s own contract at this address, in lower case, which is no trader’s account. */
export function contractOf(address: string, networks: readonly NetworkContracts[]): Contract | undefined {
  for (const { name, vaultRelayer, settlementContract } of networks) {
    if (vaultRelayer === address)
      return {
        name: `the vault relayer on ${name}`,
        use: 'It takes the tokens that an order sells when the order is filled: that is why wallets ask you to approve it.',
      }
    if (settlementContract === address)
      return {
        name: `the settlement contract on ${name}`,
        use: 'It carries out the trades that fill orders: wallets name it when you sign an order.',
      }
  }
  return undefined
}
