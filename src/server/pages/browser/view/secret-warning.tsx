import { type Secret, secretTexts, sentTexts } from '../../../../domain/search/secret.ts'

/**
 * Warning of a text that was not searched for.
 * @param isInAddress whether the page was opened at an address with the text
 */
export function SecretWarning({ secret, isInAddress = false }: { secret: Secret; isInAddress?: boolean }) {
  const { title, meaning, advice } = secretTexts[secret]
  return (
    <div class="group" role="alert">
      <h2>{title}</h2>
      <p>
        {meaning} {isInAddress ? sentTexts.inAddress : sentTexts.nowhere}
      </p>
      <p>
        <strong>What to do:</strong> {advice}
      </p>
    </div>
  )
}
