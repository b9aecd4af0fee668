import { z } from 'zod'
import { objectExpected } from './fields.ts'

/** Which member was given, and its value. */
export type Chosen<Members extends z.ZodRawShape> = {
  [Member in keyof Members & string]: { member: Member; value: NonNullable<z.output<Members[Member]>> }
}[keyof Members & string]

/** An object of which exactly one member is given, as `@oneOf` has it in the graph. Its members may be left out. */
export function oneOf<Members extends Record<string, z.ZodType>>(members: Members) {
  const names = Object.keys(members)
  return z.object(members, objectExpected).transform((read, context) => {
    const given = read as Record<string, unknown>
    const [member, second] = names.filter((name) => given[name] != null)
    if (member !== undefined && second === undefined)
      return { member, value: given[member] } as Chosen<Members>
    context.addIssue({ code: 'custom', message: `must have exactly one of ${names.join(', ')}` })
    return z.NEVER
  })
}
