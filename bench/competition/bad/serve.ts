import { address } from '../../../src/domain/evm/address.ts'
import { startSolverEngine } from '../../../test/fakes/solver-engine.ts'
import { type BadName, badBehaviours } from './engines.ts'

// Serves all bad engines in one process, each below its name: /liar/solve.
const [rpcUrl = '', settlement = '', vaultRelayer = '', races] = process.argv.slice(2)
const behaviours = badBehaviours({
  rpcUrl,
  settlement: address(settlement),
  vaultRelayer: address(vaultRelayer),
  races: races === 'races',
})
const engine = await startSolverEngine((question, response) => {
  const [, name = '', ...rest] = question.path.split('/')
  // Requests are of no further use.
  engine.asked.length = 0
  const behaviour = behaviours[name as BadName]
  if (behaviour) behaviour({ ...question, path: `/${rest.join('/')}` }, response)
  else response.writeHead(404).end()
})
process.stdout.write(`ready ${engine.url}\n`)
