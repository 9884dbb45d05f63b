import { useTranslation } from 'react-i18next'
import type { Figures } from '../../lib/chat/types.ts'
import { formatDuration, formatNumber } from '../../lib/format.ts'

/** Tokens of an answer, the time to its first token, and its speed. */
export function FigureLine({ figures }: { readonly figures: Figures | undefined }) {
  const { t } = useTranslation('chat')
  if (figures === undefined || figures.tokens === 0) return null
  const { tokens, promptTokens, firstTokenMs } = figures
  const speed = toTokensPerSecond(figures)
  return (
    <span
      className="meta push"
      title={promptTokens === undefined ? undefined : t('figures.prompt', { tokens: formatNumber(promptTokens) })}
    >
      {t('figures.tokens', { count: tokens, tokens: formatNumber(tokens) })}
      {firstTokenMs !== undefined && (
        <>
          <span className="separator" />
          {t('figures.first', { duration: formatDuration(firstTokenMs) })}
        </>
      )}
      {speed !== undefined && (
        <>
          <span className="separator" />
          {t('figures.speed', { speed: formatNumber(speed, 1) })}
        </>
      )}
    </span>
  )
}

/** The speed after the first token; undefined for answers that are too short to measure. */
export function toTokensPerSecond({ tokens, streamMs = 0 }: Figures): number | undefined {
  return tokens > 1 && streamMs >= 50 ? (tokens - 1) / (streamMs / 1000) : undefined
}
