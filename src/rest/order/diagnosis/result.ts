/** A reason as the document reads it. */
export interface ToldReason {
  evidence: readonly (Readonly<Record<string, unknown>> & { __typename: string })[]
}

type ToldDiagnosis = ToldReason & { further: readonly ToldReason[] }

/** As in GraphQL, but evidence has its kind, and tokens are addresses. */
export function writeDiagnosis({ further, ...reason }: ToldDiagnosis) {
  return { ...writeReason(reason), further: further.map(writeReason) }
}

function writeReason({ evidence, ...reason }: ToldReason) {
  return { ...reason, evidence: evidence.map(writeEvidence) }
}

function writeEvidence({ __typename, token, ...evidence }: ToldReason['evidence'][number]) {
  const kind = __typename.replace('Evidence', '')
  return {
    kind: kind.charAt(0).toLowerCase() + kind.slice(1),
    ...(token !== undefined && { token: (token as { address: string }).address }),
    ...evidence,
  }
}
