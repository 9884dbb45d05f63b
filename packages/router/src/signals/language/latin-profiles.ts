/** What tells a language of the Latin script from others. */
export interface LatinProfile {
  /** Its most frequent short words, lower case. */
  readonly words: string
  /** Letters that few other languages have. */
  readonly letters?: string | undefined
}

/** Languages of the Latin script by their ISO 639-1 codes. */
export const LATIN_PROFILES: Readonly<Record<string, LatinProfile>> = {
  en: {
    words:
      'the and of to in is that it for you was with on as are this be have from or not by at which but what how can do does an my me your we they there when who will would should if please why has had been about could write their its',
  },
  de: {
    words:
      'der die das und ist nicht ein eine einen einem einer ich du er sie es wir ihr mit auf für von zu den dem des im in an auch wie was warum kann kannst bitte mir mich dir nach bei aus wenn aber oder noch nur sich sind war hat haben werden wird über mein meine',
    letters: 'ßäöü',
  },
  fr: {
    words:
      "le la les des une et est que qui dans pour pas sur avec ce cette ne je tu il elle nous vous ils au aux du de un en se sont mais ou où comment pourquoi quel quelle plus mon ma mes être avoir fait c'est j'ai peux peut ses son leur",
    letters: 'çêèœùû',
  },
  es: {
    words:
      'el la los las de que y en un una es por con para no se su al lo como más pero sus le ya o este sí porque esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos qué cómo puedo puedes mi está son del escribe',
    letters: 'ñ¿¡',
  },
  it: {
    words:
      'il lo la gli le di che è e un una in per con non sono del della dei delle al alla ma come cosa perché più anche questo questa mi ti si ci nel nella dal ho hai ha puoi posso mio mia tutto quando dove chi scrivi',
    letters: 'ìò',
  },
  pt: {
    words:
      'o a os as de que e do da em um uma para com não é no na por mais dos das se como mas ao ele ela seu sua ou quando muito nos já está eu também só pelo pela até isso você meu minha posso pode qual são foi uns',
    letters: 'ãõ',
  },
  nl: {
    words:
      'de het een en van ik te dat die in is niet op aan met als voor er maar om hem dan zijn was jij je mijn wat hoe waarom kan kun naar bij ook nog uit wel geen worden wordt deze dit heb hebben heeft u wij ze over of door schrijf',
  },
  sv: {
    words:
      'och att det i en jag hon som han på den med var sig för så till är men ett om hade de av icke mig du henne då sin nu har inte hans honom skulle hennes där min man ej vid kunde något från ut när efter upp vi dem vara vad över hur kan mitt',
    letters: 'åäö',
  },
  da: {
    words:
      'og i jeg det at en den til er som på de med han af for ikke der var mig sig men et har om vi min havde ham hun nu over da fra du ud sin dem os op man hans hvor eller hvad skal selv her alle vil blev kunne ind når være dog noget hvordan kan efter meget',
    letters: 'æøå',
  },
  no: {
    words:
      'og i jeg det at en et den til er som på de med han av ikke ikkje der så var meg seg men har om vi min mitt ha hadde hun nå over da ved fra du ut sin dem oss opp man kan hans hvor eller hva skal selv her alle vil bli ble blitt kunne inn når være noen hvordan etter mye',
    letters: 'æøå',
  },
  pl: {
    words:
      'i w na nie się z do to że jest jak o co ale po tak za od mnie jego ja dla czy tego już tylko przez mi by być ten są ma może tym który która jeszcze mój moja gdzie kiedy dlaczego proszę napisz można',
    letters: 'łąęśźżćń',
  },
  cs: {
    words:
      'a se v na je že to s z do o jak co ale jsem si za by i pro tak jeho po mi od který která být jsou není když nebo jen už kde proč můj moje prosím napiš mohu může této tento než byl',
    letters: 'řěůčšž',
  },
  ro: {
    words:
      'și în de la cu nu o un pe este ce să că mai din am ai a fi pentru sunt care ca dar se îmi mi cum unde când cine meu mea prin sau fost acest această foarte scrie pot poate după ale lui',
    letters: 'șțăâî',
  },
  hu: {
    words:
      'a az és hogy nem is egy ez van de meg csak el mint már még ha azt volt én te mi ki vagy mit hogyan miért kell lehet nagyon után fel nekem kérem írj az ezt ami aki minden szerint ban ben',
    letters: 'őű',
  },
  tr: {
    words:
      've bir bu da de için ne mi ile çok ben sen o ama gibi daha var yok nasıl neden değil olarak olan kadar sonra her şey bana benim lütfen mı en ya ki bunu şu nerede kim yaz',
    letters: 'ğış',
  },
  fi: {
    words:
      'ja on ei että se hän oli joka mutta niin kun minä sinä me te he mitä miten miksi ovat olen voi kuin myös tai jos nyt vain sen ole tämä minun sinun ollut kanssa mukaan jotka voit kirjoita missä',
    letters: 'ä',
  },
  id: {
    words:
      'yang dan di itu dengan untuk tidak ini dari dalam akan pada saya anda ke karena tersebut bisa ada mereka lebih kata sudah atau saat oleh apa bagaimana mengapa adalah juga kami kita dia seperti tolong tulis sebuah para jika',
  },
  vi: {
    words:
      'là và của có không một cho được trong tôi với này những các người để đã đến khi như bạn làm thế nào tại sao gì ở ra về hãy viết nhưng cũng từ',
    letters: 'ạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹđơư',
  },
}
