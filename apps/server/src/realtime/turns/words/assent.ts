import { removeRemarks, splitWords } from './split-words.ts'

/** Words by which listeners say that they follow. English, German, French, Spanish, Italian, Portuguese. */
const ASSENT: ReadonlySet<string> = new Set(
  [
    'yes,yeah,yea,yep,yup,ok,okay,k,right,sure,alright,all right,got it,i see,i know,of course,cool,great,nice,good',
    'exactly,true,correct,fine,makes sense,that makes sense,that is right,wow,aha,absolutely,indeed,really,uh-huh',
    'uh huh,mm-hmm,mm hmm,mm-mm,go on,very good,thanks,thank you',
    'ja,jo,jep,jap,jawohl,genau,gut,stimmt,klar,na klar,ach so,achso,ach,verstehe,ich verstehe,richtig,natürlich',
    'alles klar,sehr gut,ja genau,eben,so so,soso,prima,super,schön,danke,in ordnung,okay gut,naja,tja',
    "oui,ouais,d'accord,daccord,c'est ça,je vois,bien sûr,bien,très bien,exact,exactement,voilà,ah bon,tout à fait",
    'entendu,parfait,compris,je comprends,merci,ça marche,vrai',
    'sí,si,claro,claro que sí,vale,ya,ya veo,de acuerdo,exacto,entiendo,ajá,por supuesto,bueno,muy bien,está bien',
    'dale,correcto,perfecto,bien,gracias,así es,eso es,cierto',
    "sì,certo,va bene,esatto,capito,ho capito,giusto,d'accordo,già,perfetto,bene,ecco,okay va bene,grazie,capisco",
    'sim,tá,tá bom,está bem,está bom,certo,pois,pois é,pois sim,entendi,exato,isso,é,aham,uhum,beleza,com certeza',
    'perfeito,muito bem,claro que sim,obrigado,obrigada,ok ok',
  ].flatMap((line) => line.split(',')),
)

/** Sounds of assent, of any length: "mhm", "hmm", "uh-huh", "ah", "oh". */
const HUM = /^(?:m+-?h+-?m*|h*m+|[aeou]+h+|[uae]h+-?h[ua]h*|hu+h+|hu+m)$/
const MAX_WORDS = 8
const MAX_LENGTH = 200
const LONGEST_PHRASE = 3

/**
 * Whether a text says no more than that somebody listens. A remark of the recogniser ("[cough]") says no more either; an
 * empty text and a question do.
 */
export function isAssent(text: string): boolean {
  if (text.trim() === '' || text.length > MAX_LENGTH || /[?？]/.test(text)) return false
  const words = splitWords(removeRemarks(text))
  if (words.length > MAX_WORDS) return false
  let index = 0
  while (index < words.length) {
    const count = findPhrase(words, index)
    if (count === 0) return false
    index += count
  }
  return true
}

/** Gives how many words from a place on are a phrase of assent. */
function findPhrase(words: readonly string[], index: number): number {
  for (let count = LONGEST_PHRASE; count > 0; count--) {
    if (ASSENT.has(words.slice(index, index + count).join(' '))) return count
  }
  return HUM.test(words[index] ?? '') ? 1 : 0
}
