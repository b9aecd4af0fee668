import { type CommandEntry, entries } from './catalogue.ts'

interface Word {
  word: string
  says: string
}

/** Words that continue a command line, by the words before: none, `allowances` or `help`. */
function continuations(): Map<string, Word[]> {
  const found = new Map<string, Word[]>()
  const add = (after: string, added: Word) => {
    const known = found.get(after) ?? []
    if (!known.some(({ word }) => word === added.word)) found.set(after, [...known, added])
  }
  for (const [name, { summary, completes }] of entries) {
    const [first = '', second] = name.split(' ')
    for (const after of ['', 'help'])
      add(after, { word: first, says: second === undefined ? summary : `commands of ${first}` })
    if (second !== undefined) add(first, { word: second, says: summary })
    for (const word of typeof completes === 'object' ? completes : []) add(name, { word, says: word })
  }
  add('help', { word: 'settings', says: 'list the settings' })
  return found
}

const helpFlag: Word = { word: '--help', says: 'print the help' }

const flagsOf = ({ flags }: CommandEntry): Word[] => [
  ...Object.entries(flags).map(([flag, { says }]) => ({ word: `--${flag}`, says })),
  helpFlag,
]

/** A pattern of the flags whose values are completed like this. */
function valued(completes?: 'file' | 'folder'): string {
  const found = entries.flatMap(([, { flags }]) =>
    Object.entries(flags).flatMap(([flag, each]) =>
      each.takes !== undefined && each.completes === completes ? [`--${flag}`] : [],
    ),
  )
  return [...new Set(found)].join('|')
}

const withValue = () => [valued('file'), valued('folder'), valued()].join('|')
const withFile = () =>
  entries.filter(([, { completes }]) => completes === 'file').map(([name]) => `'${name}'`)

/** Branches of a `case` over the command. */
function branches(name: string, rows: Iterable<readonly [string, string]>): string {
  return [...rows].map(([command, words]) => `    '${command}') ${name}=${words} ;;`).join('\n')
}

/** The words and flags that the command can have, in bash and zsh. */
const chooseWords = (list: (words: readonly Word[]) => string) => `  case "$command" in
${branches(
  'choices',
  [...continuations()].map(([after, words]) => [after, list(words)]),
)}
  esac
  case "$command" in
${branches(
  'flags',
  entries.map(([name, entry]) => [name, list(flagsOf(entry))]),
)}
  esac`

/** A loop in bash and zsh that finds the command among the words before. */
const findCommand = () => `    if [[ -n $skip ]]; then skip=''; continue; fi
    case "$word" in
      ${withValue()}) skip=1 ;;
      -*) ;;
      *) command="\${command:+$command }$word" ;;
    esac`

function bashScript(): string {
  const list = (words: readonly Word[]) => `'${words.map(({ word }) => word).join(' ')}'`
  return `# source <(tradegraph completion bash)
_tradegraph() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command='' choices='' flags='--help --version' word skip=''
  COMPREPLY=()
  case "$previous" in
    ${valued('file')}) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current")); return ;;
    ${valued('folder')}) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$current")); return ;;
    ${valued()}) return ;;
  esac
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${findCommand()}
  done
${chooseWords(list)}
  if [[ $current == -* ]]; then choices=$flags; fi
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
  if [[ $current == -* ]]; then return; fi
  case "$command" in
    ${withFile().join('|')}) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "$current")) ;;
  esac
}
complete -F _tradegraph tradegraph`
}

function zshScript(): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const list = (words: readonly Word[]) =>
    `(${words.map(({ word, says }) => quoted(`${word}:${says.replaceAll(':', '\\:')}`)).join(' ')})`
  return `#compdef tradegraph
# source <(tradegraph completion zsh), after compinit
_tradegraph() {
  local command='' word skip=''
  local -a choices flags
  flags=('--help:print the help' '--version:print the version')
  case "\${words[CURRENT-1]}" in
    ${valued('file')}) _files; return ;;
    ${valued('folder')}) _files -/; return ;;
    ${valued()}) return ;;
  esac
  for word in "\${(@)words[2,CURRENT-1]}"; do
${findCommand()}
  done
${chooseWords(list)}
  if [[ "\${words[CURRENT]}" == -* ]]; then _describe flag flags; return; fi
  (( $#choices )) && _describe command choices
  case "$command" in
    ${withFile().join('|')}) _files ;;
  esac
}
if [[ "$funcstack[1]" == _tradegraph ]]; then _tradegraph; else compdef _tradegraph tradegraph; fi`
}

function fishScript(): string {
  const quoted = (text: string) => `'${text.replaceAll(/['\\]/g, '\\$&')}'`
  const at = (command: string) => `-n ${quoted(`__tradegraph_at ${quoted(command)}`)}`
  const choices = [...continuations()].flatMap(([after, words]) =>
    words.map(({ word, says }) => `complete -c tradegraph ${at(after)} -a ${word} -d ${quoted(says)}`),
  )
  const flags = entries.flatMap(([name, { flags, completes }]) => [
    ...Object.entries(flags).map(([flag, { says, takes, completes }]) => {
      const value = takes === undefined ? '' : completes === undefined ? ' -x' : ' -r -F'
      return `complete -c tradegraph ${at(name)} -l ${flag}${value} -d ${quoted(says)}`
    }),
    ...(completes === 'file' ? [`complete -c tradegraph ${at(name)} -F`] : []),
  ])
  return `# tradegraph completion fish | source
function __tradegraph_at
  set -l command
  set -l skip
  for word in (commandline -opc)[2..]
    if set -q skip[1]
      set -e skip[1]
      continue
    end
    switch $word
      case ${withValue().replaceAll('|', ' ')}
        set skip 1
      case '-*'
      case '*'
        set -a command $word
    end
  end
  test "$command" = "$argv"
end
complete -c tradegraph -f
complete -c tradegraph -l help -s h -d ${quoted(helpFlag.says)}
complete -c tradegraph ${at('')} -l version -s v -d 'print the version'
${[...choices, ...flags].join('\n')}`
}

/**
 * Scripts that complete commands, flags, shells and files. They contain the names, so that no program starts
 * at a key.
 */
export const completions = { bash: bashScript, zsh: zshScript, fish: fishScript } as const
