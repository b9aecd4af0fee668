/** The opaque id of a node from its text, such as `Auction:9`. */
export const encodedId = (text: string): string => Buffer.from(text).toString('base64url')
