import type { ExecutionResult } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { asObject } from '../admission/operations.ts'
import type { Services } from '../context.ts'
import type { CompiledOperation } from './compiled.ts'
import type { Door } from './execute.ts'
import type { PersistedDocuments } from './persisted.ts'
import type { GraphqlRequest } from './request.ts'

/** A result that is text already, as Yoga has those that write themselves. */
export interface WrittenResult extends ExecutionResult {
  stringify(): string
}

export function isWritten(result: ExecutionResult): result is WrittenResult {
  return 'stringify' in result
}

/** Answers what the database can answer alone, instead of executing it; keeps documents that came with their hash. */
export function useCompiled(door: Door, services: Services, documents: PersistedDocuments): Plugin {
  async function answer(asked: GraphqlRequest): Promise<WrittenResult | undefined> {
    try {
      const way = door.wayOf(String(asked.query))
      if (way === 'invalid') return undefined
      documents.keep(asked)
      if (way === 'executed' || !isNamed(asked, way)) return undefined
      const text = await way.answer(asObject(asked.variables), services)
      return text === undefined ? undefined : { stringify: () => text }
    } catch {
      // Whatever it is, execution meets it too and says it in its own words.
      return undefined
    }
  }

  return {
    onParams({ paramsHandler, setParamsHandler }) {
      setParamsHandler(async (payload) => (await answer(payload.params)) ?? paramsHandler(payload))
    },
  }
}

/** Without a name the only operation is meant. */
function isNamed({ operationName }: GraphqlRequest, way: CompiledOperation): boolean {
  return operationName == null || operationName === way.operationName
}
