import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type Secret, secretIn } from '../../../../domain/search/secret.ts'
import { Header } from './header.tsx'
import type { Polled } from './polled.ts'
import { SecretWarning } from './secret-warning.tsx'
import { Fault, Loading, Section } from './section.tsx'
import { type Column, Table } from './table.tsx'

/** Filters and the cursor of a list, from the page's address. */
const chosen = new URLSearchParams(location.search)
const cursors = ['after', 'before']
const pageSize = 20

/** A chosen filter; undefined if the address has none. */
export const choiceOf = (name: string): string | undefined => chosen.get(name)?.trim() || undefined

/** One of the values that a filter has; others are ignored. */
export function optionOf<Value extends string>(name: string, values: readonly Value[]): Value | undefined {
  return values.find((value) => value === choiceOf(name))
}

/** The page of the list that the address names. */
export function pageArguments() {
  const [after, before] = cursors.map(choiceOf)
  return before === undefined ? { first: pageSize, after } : { last: pageSize, before }
}

const isFirst = cursors.every((name) => choiceOf(name) === undefined)

/** An address of this list with the chosen filters, at a cursor. */
function addressAt(cursor: { after?: string; before?: string }): string {
  const next = new URLSearchParams(chosen)
  for (const name of cursors) next.delete(name)
  for (const [name, value] of Object.entries(cursor)) next.set(name, value)
  return addressWith(next)
}

const addressWith = (choices: URLSearchParams) =>
  `${location.pathname}${choices.size > 0 ? `?${choices}` : ''}`

export interface Filter {
  /** Name in the address. */
  name: string
  label: string
  /** Values with their texts; without them it is an input. */
  options?: readonly (readonly [value: string, text: string])[]
  /** Omits the choice of all. */
  isRequired?: boolean
  isDay?: boolean
  /** Form of a text, and its description. */
  form?: { pattern?: string; title?: string; placeholder: string }
}

export const addressForm = {
  pattern: '\\s*0x[0-9a-fA-F]{40}\\s*',
  title: '0x and 40 digits from 0 to 9 and a to f',
  placeholder: '0x…',
}

/** @param isOne whether the list is of one network: the first one unless another is chosen */
export const networkFilter = (networks: readonly { name: string }[], isOne = false): Filter => ({
  name: 'network',
  label: 'Network',
  options: networks.map(({ name }) => [name, name]),
  isRequired: isOne,
})

interface Connection<Node> {
  pageInfo: {
    hasNextPage: boolean
    hasPreviousPage: boolean
    startCursor: string | null
    endCursor: string | null
  }
  nodes: readonly Node[]
}

interface Props<Node> {
  title: string
  /** Order of the list, in words. */
  order?: string
  filters: readonly Filter[]
  /** Returns the fault of filters that do not go together. */
  check?: ((choices: URLSearchParams) => string | undefined) | undefined
  list: Pick<Polled<Connection<Node>>, 'value' | 'fault'>
  columns: readonly Column<NoInfer<Node>>[]
  keyOf(node: NoInfer<Node>): string
  children?: ComponentChildren
}

/** A page with a list, its filters, and links to the pages before and after. */
export function ListPage<Node>({
  title,
  order = 'Newest first',
  filters,
  check,
  list: { value, fault },
  columns,
  keyOf,
  children,
}: Props<Node>) {
  return (
    <>
      <Header>
        <h1>{title}</h1>
      </Header>
      <main class="list-page">
        <Filters filters={filters} check={check} />
        <Section id="list" title={isFirst ? order : `${order}, continued`}>
          {children}
          {fault !== undefined && <Fault text={fault} />}
          {!value && fault === undefined && <Loading />}
          {value && value.nodes.length > 0 && <Table columns={columns} keyOf={keyOf} nodes={value.nodes} />}
          {value?.nodes.length === 0 && (
            <p class="empty">
              {value.pageInfo.hasNextPage
                ? 'No match in this part of the list. Continue with Next.'
                : 'Nothing matches.'}
            </p>
          )}
          {value && <Pager {...value.pageInfo} />}
        </Section>
      </main>
    </>
  )
}

function Pager({ hasNextPage, hasPreviousPage, startCursor, endCursor }: Connection<unknown>['pageInfo']) {
  if (isFirst && !hasNextPage) return null
  return (
    <nav class="buttons" aria-label="Pages">
      {!isFirst && (
        <a class="button plain" href={addressAt({})}>
          First page
        </a>
      )}
      {!isFirst && hasPreviousPage && startCursor !== null && (
        <a class="button plain" rel="prev" href={addressAt({ before: startCursor })}>
          Previous
        </a>
      )}
      {hasNextPage && endCursor !== null && (
        <a class="button plain" rel="next" href={addressAt({ after: endCursor })}>
          Next
        </a>
      )}
    </nav>
  )
}

/** The filters as a form, closed on phones. */
function Filters({ filters, check }: Pick<Props<never>, 'filters' | 'check'>) {
  const [fault, setFault] = useState<string>()
  const [secret, setSecret] = useState<Secret>()
  const used = filters.filter(({ name }) => choiceOf(name) !== undefined).length
  const apply = (form: HTMLFormElement) => {
    const given = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()])
    const found = given.map(([, value]) => secretIn(value ?? '')).find((each) => each !== undefined)
    setSecret(found)
    setFault(undefined)
    if (found !== undefined) return
    const choices = new URLSearchParams(given.filter(([, value]) => value !== ''))
    const mistake = check?.(choices)
    setFault(mistake)
    if (mistake === undefined) location.assign(addressWith(choices))
  }
  return (
    <details class="filters" open={matchMedia('(min-width: 44rem)').matches}>
      <summary>Filters{used > 0 && ` (${used} used)`}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          apply(event.currentTarget)
        }}
      >
        {filters.map((filter) => (
          <Choice key={filter.name} filter={filter} />
        ))}
        {fault !== undefined && <Fault text={fault} />}
        {secret && <SecretWarning secret={secret} />}
        <div class="buttons">
          <button type="submit">Apply</button>
          {used > 0 && (
            <a class="button plain" href={location.pathname}>
              Clear
            </a>
          )}
        </div>
      </form>
    </details>
  )
}

function Choice({ filter: { name, label, options, isRequired, isDay, form } }: { filter: Filter }) {
  const value = choiceOf(name) ?? ''
  const id = `filter-${name}`
  return (
    <p class="choice">
      <label for={id}>{label}</label>
      {options ? (
        <select id={id} name={name}>
          {!isRequired && <option value="">All</option>}
          {options.map(([option, text]) => (
            <option key={option} value={option} selected={option === value}>
              {text}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...{ id, name, ...form }}
          {...(isDay ? { type: 'date' as const } : { type: 'text' as const })}
          defaultValue={value}
          maxLength={200}
          autocomplete="off"
          spellcheck={false}
        />
      )}
    </p>
  )
}
