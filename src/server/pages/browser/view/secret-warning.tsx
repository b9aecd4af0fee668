import { type Secret, secretTexts } from '../../../../domain/search/secret.ts'

/** Warning of a text that was not searched for. */
export function SecretWarning({ secret }: { secret: Secret }) {
  const { title, meaning, advice } = secretTexts[secret]
  return (
    <div class="group" role="alert">
      <h2>{title}</h2>
      <p>{meaning}</p>
      <p>
        <strong>What to do:</strong> {advice}
      </p>
    </div>
  )
}
