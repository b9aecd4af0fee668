import { sample } from '../sample.ts'

/** What a path with an order's UID answers where there is none. */
export const noSuchOrder = {
  unknown: {
    summary: 'Nobody’s UID',
    path: { uid: sample.unknownUid },
    status: 404,
    answer: { errorType: 'NotFound', description: 'Order was not found' },
  },
  malformed: {
    summary: 'No UID',
    path: { uid: '0x12' },
    status: 400,
    answer: { errorType: 'InvalidParameter', description: 'uid must be an order UID: 56 bytes of hex' },
  },
}
