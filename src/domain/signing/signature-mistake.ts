/** The closed list of known client mistakes in signing an order, with descriptions. */
export const signatureMistakes = {
  signature_length: 'Neither 65 bytes r‖s‖v nor 64 compact bytes.',
  smart_account: 'Longer than a key’s signature: that of a smart account, which is sent as eip1271.',
  signature_v: 'The last byte is not 0, 1, 27 or 28, names the other of two signers, or is missing.',
  high_s: 'The s is in the upper half of the curve order.',
  unrecoverable: 'No signer can be recovered from the bytes.',
  scheme: 'Signed by another scheme than the declared one.',
  other_account: 'Signed correctly, by the receiver or by the signer that appData names, who is not `from`.',
  personal_message: 'Signed as a personal message with other content than the 32 bytes of the digest.',
  chain_id: 'The domain has another chain id, or none.',
  verifying_contract: 'The domain has another verifying contract, or none.',
  domain_name: 'The domain has another name, or none.',
  domain_version: 'The domain has another version, or none.',
  domain_left_out: 'The order’s own hash is signed, without the domain.',
  receiver: 'Signed with another receiver than the one sent; null is signed as the zero address.',
  app_data_hash: 'Signed with another hash than that of the document as it is sent.',
  valid_to_milliseconds: 'Signed with validTo in milliseconds.',
  member_value: 'Signed with another kind, or another partiallyFillable, than is sent.',
  amount_type: 'An amount is not uint256 in the type.',
  word_type: '`kind` or a balance is not a string in the type.',
  member_type: 'Another member has another type.',
  member_left_out: 'A member is missing in the type.',
  member_order: 'The members of the type are in another order.',
} as const satisfies Record<string, string>

export type SignatureMistake = keyof typeof signatureMistakes

/**
 * The mistake that the body of an error names. Only its code is read, because the rest of the text is under
 * its author's control.
 */
export function mistakeIn(text: string): SignatureMistake | undefined {
  const [, code = ''] = /"mistake"\s{0,9}:\s{0,9}"(\w{1,40})"/.exec(text) ?? []
  return Object.hasOwn(signatureMistakes, code) ? (code as SignatureMistake) : undefined
}
