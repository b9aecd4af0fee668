import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { ReadStream, WriteStream } from 'node:tty'
import { computeAddress } from 'ethers'
import { type Address, address } from '../../../domain/evm/address.ts'
import { type Hex, toHex } from '../../../domain/evm/hex.ts'
import { CommandFault, exitCodes } from '../service.ts'

/** Asks on the terminal, also where the input is a pipe. @returns undefined if there is no terminal */
async function ask(question: string, isHidden: boolean): Promise<string | undefined> {
  let device: number
  try {
    device = openSync('/dev/tty', 'r+')
  } catch {
    return undefined
  }
  const [input, screen] = [new ReadStream(device), new WriteStream(device)]
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output: isHidden ? silent : screen, terminal: true, historySize: 0 })
  try {
    return await new Promise((resolve) => {
      lines.once('SIGINT', () => {
        lines.close()
        screen.write('\n')
        process.exit(130)
      })
      lines.once('close', () => resolve(''))
      lines.question(isHidden ? '' : question, resolve)
      // Only now: the terminal shows what is typed until `lines` reads it.
      if (isHidden) screen.write(question)
    })
  } finally {
    lines.close()
    if (isHidden) screen.write('\n')
    input.destroy()
    screen.destroy()
  }
}

/** Asks whether to sign, unless the flag says so. @throws CommandFault without a yes */
export async function confirm(question: string, isSure: boolean): Promise<void> {
  if (isSure) return
  const answer = await ask(`${question} [y/N] `, false)
  if (answer === undefined)
    throw new CommandFault(exitCodes.usage, 'there is no terminal to ask on: --yes signs without asking')
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFault(exitCodes.refused, 'nothing was signed')
}

export interface TerminalSigner {
  address: Address
  privateKey: Hex
}

/** The key of a file that only its owner may read, or of a hidden prompt. @throws CommandFault */
export async function readKey(file: string | undefined): Promise<TerminalSigner> {
  const text = file === undefined ? await ask('private key: ', true) : readKeyFile(file)
  if (text === undefined)
    throw new CommandFault(exitCodes.usage, 'there is no terminal to ask for the key on: name a --key-file')
  const digits = text.trim()
  const privateKey = toHex(digits.startsWith('0x') ? digits : `0x${digits}`, 32)
  try {
    if (privateKey) return { address: address(computeAddress(privateKey)), privateKey }
  } catch {
    // Zero, or beyond the order of the curve.
  }
  const place = file === undefined ? 'the input' : shown(file)
  throw new CommandFault(exitCodes.usage, `${place} is no private key: it must be 32 bytes of hex`)
}

/** A name of a file that is not a key itself, by mistake. */
const shown = (file: string) => (/[0-9a-f]{64}/i.test(file) ? 'the file of --key-file' : file)

function readKeyFile(file: string): string {
  let opened: number | undefined
  try {
    opened = openSync(file, 'r')
    const mode = fstatSync(opened).mode & 0o777
    if ((mode & 0o077) === 0) return readFileSync(opened, 'utf8')
    throw new CommandFault(
      exitCodes.refused,
      `${shown(file)} may be read by others (mode ${mode.toString(8)})`,
      {
        advice: [`What to do: chmod 600 ${shown(file)}`],
      },
    )
  } catch (fault) {
    if (fault instanceof CommandFault) throw fault
    throw new CommandFault(
      exitCodes.usage,
      `${shown(file)} cannot be read (${(fault as NodeJS.ErrnoException).code})`,
    )
  } finally {
    if (opened !== undefined) closeSync(opened)
  }
}
