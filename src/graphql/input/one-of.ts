import { z } from 'zod'
import { objectExpected } from './fields.ts'

/** The member that is set, and its value. */
export type ChosenMember<Members extends z.ZodRawShape> = {
  [Member in keyof Members & string]: { member: Member; value: NonNullable<z.output<Members[Member]>> }
}[keyof Members & string]

/** An object with exactly one member set, like `@oneOf` in GraphQL. The schemas of `members` must be nullish. */
export function oneOf<Members extends Record<string, z.ZodType>>(members: Members) {
  const names = Object.keys(members)
  return z.object(members, objectExpected).transform((parsed, context) => {
    const values = parsed as Record<string, unknown>
    const [member, second] = names.filter((name) => values[name] != null)
    if (member !== undefined && second === undefined)
      return { member, value: values[member] } as ChosenMember<Members>
    context.addIssue({ code: 'custom', message: `must have exactly one of ${names.join(', ')}` })
    return z.NEVER
  })
}
