import { sdkStatements } from '../setup/sdk-statements.ts'
import { startWorld } from '../setup/world.ts'

sdkStatements(() => startWorld())
