import type { WrittenExample } from '../openapi/operation.ts'
import { sample } from '../openapi/sample.ts'

/** Examples for a path with a UID: an unknown one, and a malformed one. */
export const noSuchOrder: Record<string, WrittenExample> = {
  unknown: { summary: 'An unknown UID', path: { uid: sample.unknownUid }, refused: 'missing' },
  malformed: {
    summary: 'No UID',
    path: { uid: '0x12' },
    refused: ['InvalidParameter', 'uid must be an order UID: 56 bytes of hex with 0x in front'],
  },
}
