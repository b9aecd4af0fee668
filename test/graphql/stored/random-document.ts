import {
  astFromValue,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  print,
} from 'graphql'
import { Choices } from './choices.ts'
import { argumentsFor, type Values } from './known-values.ts'
import { bareSchema } from './oracle/execute.ts'
import { isApart, isElsewhere, storedRoots } from './places.ts'

interface RandomDocument {
  text: string
  variables: Record<string, unknown>
}

type Field = GraphQLField<unknown, unknown>
type Composite = GraphQLNamedType & { name: string }

const deepest = 6

/** Names of fields whose type depends on the parent: under the same key they would conflict. */
const ambiguous = namesOfSeveralTypes()

function namesOfSeveralTypes(): Set<string> {
  const types = new Map<string, Set<string>>()
  for (const type of Object.values(bareSchema.getTypeMap())) {
    if (!isObjectType(type)) continue
    for (const field of Object.values(type.getFields())) {
      types.set(field.name, (types.get(field.name) ?? new Set()).add(String(field.type)))
    }
  }
  return new Set([...types].filter(([, known]) => known.size > 1).map(([name]) => name))
}

/** A random document over stored fields, valid by construction. */
export function randomDocument(numbers: readonly number[], values: Values): RandomDocument {
  return new Writing(new Choices(numbers), values).document()
}

class Writing {
  private readonly variables = new Map<string, { type: string; value: unknown }>()
  private readonly fragments = new Map<string, string>()
  private aliases = 0

  constructor(
    private readonly choices: Choices,
    private readonly values: Values,
  ) {}

  document(): RandomDocument {
    const roots = Array.from({ length: 1 + this.choices.below(3) }, () => this.root())
    if (this.choices.once(8)) roots.push('__typename')
    const declared = [...this.variables].map(([name, { type }]) => `$${name}: ${type}`)
    const head = declared.length > 0 ? `query (${declared.join(', ')})` : 'query'
    return {
      text: [`${head} { ${roots.join(' ')} }`, ...this.fragments.values()].join('\n'),
      variables: Object.fromEntries([...this.variables].map(([name, { value }]) => [name, value])),
    }
  }

  private root(): string {
    const query = bareSchema.getQueryType() as GraphQLObjectType
    const field = query.getFields()[this.choices.of(storedRoots)] as Field
    const text = this.field(query, field, 1, true)
    return this.choices.once(10) ? `... on Query { ${text} }` : text
  }

  private selection(type: Composite, depth: number): string {
    const parts = Array.from({ length: 1 + this.choices.below(4) }, () => this.part(type, depth))
    return `{ ${parts.join(' ')} }`
  }

  private part(type: Composite, depth: number): string {
    const isAbstract = isAbstractType(type)
    const which = this.choices.below(isAbstract ? 6 : 12)
    if (isAbstract && which > 1) {
      const possible = this.choices.of(bareSchema.getPossibleTypes(type))
      return which === 2 ? this.named(possible, depth) : this.inline(possible.name, possible, depth)
    }
    if (which === 11) return '__typename'
    if (which === 10) return this.inline(this.choices.of([type.name, '']), type, depth)
    if (which === 9) return this.named(type, depth)
    if (which === 8 && isObjectType(type)) {
      const outer = [type, ...type.getInterfaces()]
      return this.inline(this.choices.of(outer).name, type, depth)
    }
    return this.anyField(type, depth)
  }

  private inline(on: string, type: Composite, depth: number): string {
    const condition = on === '' ? '' : ` on ${on}`
    const inner = on === '' || on === type.name ? type : (bareSchema.getType(on) as Composite)
    return `...${condition}${this.directive()} ${this.selection(inner, depth)}`
  }

  /** Sometimes a fragment that is spread elsewhere too. */
  private named(type: Composite, depth: number): string {
    const own = [...this.fragments].filter(([, text]) => text.includes(` on ${type.name} `))
    if (own.length > 0 && this.choices.once(2)) return `...${this.choices.of(own)[0]}${this.directive()}`
    const inner = this.selection(type, Math.max(depth, 4))
    const name = `F${this.fragments.size}`
    this.fragments.set(name, `fragment ${name} on ${type.name} ${inner}`)
    return `...${name}${this.directive()}`
  }

  private anyField(type: Composite, depth: number): string {
    if (!isObjectType(type) && !isInterfaceType(type)) return '__typename'
    const fields = Object.values(type.getFields()).filter(
      (field) => !isElsewhere(type.name, field.name) && !isApart(type.name, field.name),
    )
    const isDeep = depth >= deepest || this.choices.isOver
    const leaves = fields.filter((field) => !isCompositeType(getNamedType(field.type)))
    const wanted = isDeep ? leaves : fields
    if (wanted.length === 0) return '__typename'
    return this.field(type, this.choices.of(wanted), depth + 1, isAbstractType(type))
  }

  /** Gives a unique alias to a field that may differ by its place, so that no two fields conflict. */
  private field(parent: Composite, field: Field, depth: number, isAliased: boolean): string {
    const type = getNamedType(field.type)
    const place = `${parent.name}.${field.name}`
    const args = argumentsFor(place, type.name.endsWith('Connection'), this.choices, this.values)
    const written = Object.entries(args).map(([name, value]) => `${name}: ${this.value(field, name, value)}`)
    const hasAlias = isAliased || field.args.length > 0 || ambiguous.has(field.name) || this.choices.once(5)
    const alias = hasAlias ? `a${this.aliases++}: ` : ''
    const inner = isCompositeType(type) ? ` ${this.selection(type, depth)}` : ''
    const given = written.length > 0 ? `(${written.join(', ')})` : ''
    return `${alias}${field.name}${given}${this.directive()}${inner}`
  }

  private value(field: Field, name: string, value: unknown): string {
    const argument = field.args.find((each) => each.name === name)
    if (!argument) throw new TypeError(`${field.name} takes no ${name}`)
    if (this.choices.once(3)) return this.variable(`v${this.variables.size}`, String(argument.type), value)
    const literal = astFromValue(value, argument.type)
    if (!literal) throw new TypeError(`${name} has no literal`)
    return print(literal)
  }

  private variable(name: string, type: string, value: unknown): string {
    this.variables.set(name, { type, value })
    return `$${name}`
  }

  private directive(): string {
    if (!this.choices.once(8)) return ''
    const condition = this.choices.of([
      () => this.variable('yes', 'Boolean!', true),
      () => this.variable('no', 'Boolean!', false),
      () => 'true',
    ])()
    return ` @${this.choices.of(['include', 'skip'])}(if: ${condition})`
  }
}
