import { describeMarket } from '../../src/dev/market/market.ts'
import { startSolverDriver } from '../../test/fakes/solver-driver.ts'

// An honest driver in its own process. Its account is one for outside solvers, by index.
const [rpcUrl = '', index = ''] = process.argv.slice(2)
const { network, outsideSolvers } = describeMarket()
const account = outsideSolvers[Number(index)]
if (!account) throw new Error('the market has no such account')
const driver = await startSolverDriver({ rpcUrl, network, account })
process.stdout.write(`ready ${driver.url}\n`)
