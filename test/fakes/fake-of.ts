/** A value with the members that a test needs, in place of a whole one. */
export const fakeOf = <Whole>(members: Partial<Whole>): Whole => members as Whole
