/** A node’s id, opaque to clients, from what it is made of, such as `Auction:9`. */
export const encodedId = (text: string): string => Buffer.from(text).toString('base64url')
