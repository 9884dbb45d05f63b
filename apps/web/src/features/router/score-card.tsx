import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { TextArea, TextField } from '../../components/ui/field.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { useConnection } from '../../lib/connection.ts'
import { formatNumber } from '../../lib/format.ts'
import { type Router, scoreAnswers } from './api.ts'
import * as styles from './router.module.css'

/** The raw scores beside a decision: a model's likelihood of each of some answers. */
export function ScoreCard({ router }: { readonly router: Router }) {
  const { t } = useTranslation('router')
  const [model, setModel] = useState(router.classifier_model ?? '')
  const [prompt, setPrompt] = useState('')
  const [answers, setAnswers] = useState(() => router.policies.map(({ label }) => label).join('\n'))
  const isOffline = useConnection().state === 'offline'
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const candidates = answers.split('\n').filter((line) => line !== '')
  const run = useMutation({
    async mutationFn() {
      running.current?.abort()
      running.current = new AbortController()
      const reply = await scoreAnswers(model, prompt, candidates, running.current.signal)
      return reply.candidates.map((score, index) => ({ answer: candidates[index] ?? '', ...score }))
    },
  })
  const isReady = model !== '' && prompt !== '' && candidates.length > 0 && !isOffline
  return (
    <details className={`card ${styles.score}`}>
      <summary>{t('scoreTitle')}</summary>
      <div className="cardBody stack">
        <p className="meta">{t('scoreAbout')}</p>
        <TextField label={t('scoreModel')} value={model} onChange={({ target }) => setModel(target.value)} />
        <TextArea label={t('scorePrompt')} rows={3} value={prompt} onChange={({ target }) => setPrompt(target.value)} />
        <TextArea
          label={t('scoreAnswers')}
          rows={3}
          value={answers}
          onChange={({ target }) => setAnswers(target.value)}
        />
        <div className="row">
          <Button busy={run.isPending} disabled={!isReady} onClick={() => run.mutate()}>
            {t('scoreRun')}
          </Button>
        </div>
        {run.isError && <ErrorBlock error={run.error} onRetry={() => run.mutate()} />}
        {run.data !== undefined && (
          <table className="table compact">
            <thead>
              <tr>
                <th scope="col">{t('answer')}</th>
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
              {run.data.map((score, index) => (
                <tr key={index}>
                  <td className="freeCell">{score.answer}</td>
                  <td className="number">{formatNumber(score.log_prob, 3)}</td>
                  <td className="number">
                    {score.length_normalized_log_prob === undefined
                      ? ''
                      : formatNumber(score.length_normalized_log_prob, 3)}
                  </td>
                  <td className="number">{formatNumber(score.num_tokens)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </details>
  )
}
