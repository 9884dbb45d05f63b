import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { Status } from '../../components/ui/status.tsx'
import { formatDuration, formatNumber } from '../../lib/format.ts'
import type { Outcome, Replies } from './api.ts'
import { EmbeddingsView } from './embeddings-view.tsx'
import { splitLines } from './kinds.ts'
import * as styles from './playground.module.css'

/** The reply of a call: its meaning, then the reply itself to copy. */
export function OutcomeView({ outcome }: { readonly outcome: Outcome }) {
  const { t } = useTranslation('playground')
  return (
    <div className="card">
      <header>
        <h2>{t('result')}</h2>
        <span className="meta">{formatDuration(outcome.tookMs)}</span>
        <span className="push">
          <CopyButton showLabel label={t('copyReply')} text={JSON.stringify(outcome.reply, null, 2)} />
        </span>
      </header>
      <div className="cardBody stack">
        <Reading outcome={outcome} />
      </div>
    </div>
  )
}

function Reading({ outcome }: { readonly outcome: Outcome }) {
  switch (outcome.kind) {
    case 'embeddings':
      return <EmbeddingsView reply={outcome.reply} texts={splitLines(outcome.input.text)} />
    case 'rerank':
      return <RerankView reply={outcome.reply} documents={splitLines(outcome.input.list)} />
    case 'tokenize':
      return <TokensView reply={outcome.reply} text={outcome.input.text} />
    case 'moderation':
      return <ModerationView reply={outcome.reply} texts={splitLines(outcome.input.text)} />
    case 'score':
      return <ScoreView reply={outcome.reply} candidates={splitLines(outcome.input.list)} />
  }
}

function RerankView({
  reply,
  documents,
}: {
  readonly reply: Replies['rerank']
  readonly documents: readonly string[]
}) {
  const { t } = useTranslation('playground')
  return (
    <table className="table compact">
      <thead>
        <tr>
          <th scope="col" className="number">
            {t('rank')}
          </th>
          <th scope="col">{t('document')}</th>
          <th scope="col" className="number">
            {t('relevance')}
          </th>
        </tr>
      </thead>
      <tbody>
        {reply.results.map(({ index, relevance_score: relevance }, rank) => (
          <tr key={index}>
            <td className="number">{formatNumber(rank + 1)}</td>
            <td className="freeCell">{documents[index]}</td>
            <td className="number">{formatNumber(relevance, 3)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function TokensView({ reply: { tokens }, text }: { readonly reply: Replies['tokenize']; readonly text: string }) {
  const { t } = useTranslation('playground')
  return (
    <>
      <p>
        <b className="semibold">{t('tokenCount', { count: tokens.length })}</b>{' '}
        <span className="muted">{t('characters', { count: [...text].length })}</span>
      </p>
      <ScrollRegion as="p" className={`monospace ${styles.ids}`}>
        {tokens.join(' ')}
      </ScrollRegion>
    </>
  )
}

function ModerationView({
  reply: { results },
  texts,
}: {
  readonly reply: Replies['moderation']
  readonly texts: readonly string[]
}) {
  const { t } = useTranslation('playground')
  return results.map(({ flagged, categories, category_scores: scores }, index) => (
    <section key={index} className="stack tight">
      <div className="row wrap">
        <Status tone={flagged ? 'bad' : 'ok'}>{flagged ? t('flagged') : t('notFlagged')}</Status>
        <span className="muted clip">{texts[index]}</span>
      </div>
      <table className="table compact">
        <thead>
          <tr>
            <th scope="col">{t('category')}</th>
            <th scope="col">{t('verdict')}</th>
            <th scope="col" className="number">
              {t('score')}
            </th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(scores).map(([category, score]) => (
            <tr key={category}>
              <td className="freeCell">{category}</td>
              <td>{categories[category] === true ? t('flagged') : ''}</td>
              <td className="number">{formatNumber(score, 3)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  ))
}

function ScoreView({
  reply,
  candidates,
}: {
  readonly reply: Replies['score']
  readonly candidates: readonly string[]
}) {
  const { t } = useTranslation('playground')
  return (
    <table className="table compact">
      <thead>
        <tr>
          <th scope="col">{t('candidate')}</th>
          <th scope="col" className="number">
            {t('logProb')}
          </th>
          <th scope="col" className="number">
            {t('meanLogProb')}
          </th>
          <th scope="col" className="number">
            {t('tokens')}
          </th>
        </tr>
      </thead>
      <tbody>
        {reply.candidates.map((score, index) => (
          <tr key={index}>
            <td className="freeCell">{candidates[index]}</td>
            <td className="number">{formatNumber(score.log_prob, 3)}</td>
            <td className="number">
              {score.length_normalized_log_prob === undefined ? '' : formatNumber(score.length_normalized_log_prob, 3)}
            </td>
            <td className="number">{formatNumber(score.num_tokens)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
