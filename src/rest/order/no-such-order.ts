import type { WrittenExample } from '../openapi/operation.ts'
import { sample } from '../openapi/sample.ts'

/** What a path with an order's UID answers where there is none. */
export const noSuchOrder: Record<string, WrittenExample> = {
  unknown: { summary: 'Nobody’s UID', path: { uid: sample.unknownUid }, refused: 'missing' },
  malformed: {
    summary: 'No UID',
    path: { uid: '0x12' },
    refused: ['InvalidParameter', 'uid must be an order UID: 56 bytes of hex'],
  },
}
