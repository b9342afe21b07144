/**
 * The same words in other languages (remaining-words.ts): few and plain, each with what says the contrary. An agent answers in its user's language.
 * `left`: something is not done. `next`: what it will do now. `none`: the sentence says that nothing is left, asks, or sets a condition.
 */
export interface RemainingLanguage {
  readonly title: string;
  readonly left: RegExp;
  readonly next: RegExp;
  readonly none: RegExp;
  /** For docs/triage.md. */
  readonly example: string;
}

/** Whole words in any script: `\b` knows Latin ones alone. */
const words = (text: string): RegExp => new RegExp(`(?<!\\p{L})(?:${text})(?!\\p{L})`, "iu");
/** Scripts that put nothing between words. */
const parts = (text: string): RegExp => new RegExp(text, "u");
/** A question is none, in any of them. */
const ASKS = "[?？]\\s*$";

export const REMAINING_LANGUAGES: readonly RemainingLanguage[] = [
  {
    title: "German",
    example: "Ich höre hier erst einmal auf.",
    left: words(
      "(?:noch )?nicht (?:ganz |vollständig |komplett )?(?:fertig|abgeschlossen|erledigt|umgesetzt|implementiert|migriert)|unfertig|unvollständig|(?:steht|stehen|bleibt|bleiben|ist|sind|fehlt|fehlen)(?: [\\p{L}\\d,./-]+){0,5} noch (?:aus|offen|zu (?:tun|erledigen)|übrig)|fehlt noch|fehlen noch|noch (?:offen|ausstehend|zu tun|zu erledigen)|muss(?:en)? (?:ich )?noch|müssen noch|(?:höre|halte|mache|breche)(?: ich)? (?:hier|an dieser stelle)(?: erst ?(?:ein)?mal| vorerst| für heute)?(?: auf| an| schluss| ab)|erst (?:zur )?hälfte|teilweise (?:fertig|umgesetzt|implementiert)|wird fortgesetzt|konnte (?:ich )?.{0,40}nicht (?:mehr )?(?:fertigstellen|abschließen|beenden)",
    ),
    next: words(
      "als nächstes (?:werde|mache|kommt|kommen)|ich (?:werde|mache) (?:dann |nun |jetzt |morgen )?.{0,30}(?:weiter|fortsetzen|fortfahren)",
    ),
    none: new RegExp(
      `(?<!\\p{L})(?:nichts|kein\\p{L}*|alles|alle)(?!\\p{L}).{0,60}(?:offen|übrig|aus|fehl\\p{L}*|tun|erledig\\p{L}*|fertig|todo\\p{L}*|abgeschlossen)|(?<!\\p{L})war(?:en)?(?!\\p{L}).{0,40}nicht|(?<!\\p{L})(?:falls|wenn)(?!\\p{L})|${ASKS}`,
      "iu",
    ),
  },
  {
    title: "French",
    example: "Je m'arrête ici pour le moment.",
    left: words(
      "(?:pas|n'(?:est|ai|a)) (?:encore |complètement |entièrement |pas encore )*(?:terminé|fini|achevé|implémenté|migré|complet)(?:e|s|es)?|inachevé(?:e|s|es)?|incomplet|incomplète|(?:il )?reste(?:nt)? (?:encore )?(?:à|\\p{L}+ (?:\\p{L}+ )?à) (?:faire|migrer|mettre|terminer|écrire|corriger|convertir)|reste(?:nt)? à|il reste|m'arrête (?:ici|là)|je m'arrêterai|à suivre|(?:il )?manque(?:nt)? encore|dois encore|doi(?:t|vent) encore|je n'ai pas pu (?:finir|terminer)|partiellement (?:terminé|implémenté|migré)(?:e|s|es)?",
    ),
    next: words(
      "ensuite,? je|je vais (?:maintenant |ensuite )?(?:continuer|poursuivre|passer)|prochaine étape : je",
    ),
    none: new RegExp(
      `(?<!\\p{L})(?:rien|plus rien|aucun\\p{L}*|tout est|tous les|toutes les|ne reste (?:plus|rien|aucun))(?!\\p{L})|(?<!\\p{L})(?:était|étaient|si)(?!\\p{L})|${ASKS}`,
      "iu",
    ),
  },
  {
    title: "Spanish",
    example: "Me detengo aquí por ahora.",
    left: words(
      "(?:aún |todavía )?no (?:está|están|he|se ha|quedó|pude) (?:aún |todavía )?(?:terminad\\p{L}*|acabad\\p{L}*|complet\\p{L}*|terminar|acabar|implementad\\p{L}*|migrad\\p{L}*|list[oa]s?)|inacabad[oa]s?|incomplet[oa]s?|(?:falta|faltan|queda|quedan)(?: aún| todavía)? (?:por|\\p{L}+ por|\\p{L}+ \\p{L}+ por|implementar|migrar|actualizar|escribir|los|las|el|la|\\d+)|(?:queda|quedan) pendientes?|pendientes? de|todavía (?:falta|faltan|hay que)|(?:paro|me detengo|lo dejo|me paro) aquí|por ahora (?:paro|lo dejo)|a medias|continuará",
    ),
    next: words(
      "(?:a continuación|luego|después|ahora),? (?:voy a|actualizaré|continuaré|haré)|(?:voy a )?(?:continuaré|seguiré|voy a seguir|voy a continuar)",
    ),
    none: new RegExp(
      `(?<!\\p{L})(?:nada|ningun[oa]?s?|ningún|no (?:queda|quedan|falta|faltan)|tod[oa]s?)(?!\\p{L})(?!.{0,30}(?:aún|todavía) no)|(?<!\\p{L})(?:estaba|estaban|si)(?!\\p{L})|${ASKS}`,
      "iu",
    ),
  },
  {
    title: "Portuguese",
    example: "Vou parar por aqui por enquanto.",
    left: words(
      "(?:ainda )?não (?:está|estão|foi|foram|terminei|concluí|consegui|acabei)(?: \\p{L}+){0,2} ?(?:terminad\\p{L}*|concluíd\\p{L}*|complet\\p{L}*|pront[oa]s?|implementad\\p{L}*|migrad\\p{L}*|terminar|concluir)?|inacabad[oa]s?|incomplet[oa]s?|(?:ainda )?(?<!(?:no|non) )(?:falta|faltam|resta|restam) (?:ainda )?(?:\\p{L}+|\\d+)|(?:paro|vou parar|parando) (?:por )?aqui|por enquanto (?:paro|é só)|pela metade|ainda (?:preciso|precisa|precisam|tenho que)|pendentes?|continua (?:amanhã|depois)",
    ),
    next: words(
      "(?:em seguida|depois|agora),? (?:vou|atualizarei|continuarei|farei)|(?:vou )?(?:continuar|continuarei|prosseguir) ",
    ),
    none: new RegExp(
      `(?<!\\p{L})(?:nada|nenhum\\p{L}*|não (?:falta|faltam|resta|restam|há)|sem pendências|tud[oa]|tod[oa]s)(?!\\p{L})|(?<!\\p{L})(?:estava|estavam|se)(?!\\p{L})|${ASKS}`,
      "iu",
    ),
  },
  {
    title: "Italian",
    example: "Per ora mi fermo qui.",
    left: words(
      "non (?:è|sono|ho|ancora)(?: \\p{L}+){0,2} (?:finit\\p{L}*|terminat\\p{L}*|complet\\p{L}*|implementat\\p{L}*|migrat\\p{L}*|pront[oaie])|incompiut[oaie]|incomplet[oaie]|(?:resta|restano|manca|mancano|rimane|rimangono)(?: ancora)? (?:da|\\p{L}+|\\d+)|(?:mi fermo|mi interrompo) qui|da (?:completare|finire|fare) (?:ancora|in seguito)|ancora da (?:fare|completare|finire|migrare|scrivere)|devo ancora|parzialmente (?:implementat|completat|finit)\\p{L}*|a metà|continua(?:\\.{3}|…)",
    ),
    next: words(
      "(?:poi|ora|adesso|in seguito),? (?:aggiornerò|continuerò|farò|procederò)|(?:continuerò|proseguirò) ",
    ),
    none: new RegExp(
      `(?<!\\p{L})(?:niente|nulla|nessun\\p{L}*|non (?:resta|restano|manca|mancano|rimane|rimangono)|tutt[oiae])(?!\\p{L})|(?<!\\p{L})(?:era|erano|se)(?!\\p{L})|${ASKS}`,
      "iu",
    ),
  },
  {
    title: "Dutch",
    example: "Ik stop hier voor nu.",
    left: words(
      "(?:nog )?niet (?:helemaal |volledig )?(?:klaar|af|voltooid|afgerond|geïmplementeerd|gemigreerd)|onvolledig|onaf|(?:moet|moeten)(?: [\\p{L}\\d./]+){0,4} nog|nog te doen|(?:resteert|resteren|ontbreekt|ontbreken) nog|(?:ik )?stop hier|gedeeltelijk (?:klaar|geïmplementeerd|gemigreerd)|wordt vervolgd",
    ),
    next: words("(?:daarna|vervolgens|nu) (?:ga|zal) ik|ik ga (?:nu |dan |morgen )?(?:verder|door)"),
    none: new RegExp(
      `(?<!\\p{L})(?:niets|geen|alles|alle)(?!\\p{L})|(?<!\\p{L})(?:was|waren|als)(?!\\p{L})|${ASKS}`,
      "iu",
    ),
  },
  {
    title: "Polish",
    example: "Na razie tu kończę, reszta została do zrobienia.",
    left: words(
      "(?:jeszcze )?nie (?:jest|są|został\\p{L}*|zdążył\\p{L}*|udało się)(?: jeszcze)?(?: \\p{L}+)? ?(?:gotow\\p{L}*|skończon\\p{L}*|ukończ\\p{L}*|dokończ\\p{L}*|zaimplementowan\\p{L}*|zakończon\\p{L}*)|niedokończon\\p{L}*|niekompletn\\p{L}*|do zrobienia|(?:pozostał\\p{L}*|został\\p{L}*|pozostaje) (?:jeszcze )?(?:do|\\d+|\\p{L}+ do)|muszę jeszcze|brakuje jeszcze|ciąg dalszy nastąpi|na razie (?:tu |na tym )?kończę",
    ),
    next: words("(?:następnie|teraz|potem) (?:zaktualizuję|zrobię|przejdę|zajmę)|będę kontynuow\\p{L}*"),
    none: new RegExp(
      `(?<!\\p{L})(?:nic|żad\\p{L}*|wszystk\\p{L}*)(?!\\p{L})|(?<!\\p{L})(?:był\\p{L}*|jeśli|jeżeli)(?!\\p{L})|${ASKS}`,
      "iu",
    ),
  },
  {
    title: "Russian",
    example: "Пока остановлюсь на этом.",
    left: words(
      "(?:ещё |еще )?не (?:закончен\\p{L}*|завершен\\p{L}*|завершён\\p{L}*|готов\\p{L}*|доделан\\p{L}*|реализован\\p{L}*|закончил\\p{L}*|успел\\p{L}*|сделан\\p{L}*|смог\\p{L}* (?:закончить|завершить))|незавершён\\p{L}*|незавершен\\p{L}*|незаконченн\\p{L}*|(?:остал(?:ось|ись|ся|ась)|остаётся|остается|осталось)(?: ещё| еще)? (?!без|прежн|неизменн)\\p{L}+|предстоит|(?:нужно|надо|необходимо) (?:ещё|еще)|(?:ещё|еще) (?:нужно|надо|необходимо|предстоит)|останов(?:люсь|ился|илась|имся)|частично (?:готов\\p{L}*|реализован\\p{L}*|сделан\\p{L}*)|продолжение следует",
    ),
    next: words("(?:далее|затем|теперь|потом) я|(?:я )?(?:продолжу|перейду)"),
    none: new RegExp(
      `(?<!\\p{L})(?:ничего|нечего|никак\\p{L}*|не осталось|всё|все|без изменений)(?!\\p{L})(?!.{0,20}(?:ещё|еще) не)|(?<!\\p{L})(?:был\\p{L}*|если)(?!\\p{L})|${ASKS}`,
      "iu",
    ),
  },
  {
    title: "Turkish",
    example: "Şimdilik burada duruyorum.",
    left: words(
      "(?:henüz|daha) (?:tamamlanmadı|bitmedi|hazır değil|bitirmedim|yapılmadı|uygulanmadı)|tamamlanmamış|(?:burada|şimdilik) (?:duruyorum|bırakıyorum)|şimdilik burada|yapılacak(?:lar)? (?:kaldı|var)|(?:dosya|adım|test|iş|kısım) kaldı|hâlâ (?:eksik|gerekiyor|yapılmalı)|yarım kaldı|devam edecek",
    ),
    next: words("(?:şimdi|sonra|ardından) .{0,30}(?:edeceğim|yapacağım|güncelleyeceğim)|devam edeceğim"),
    none: new RegExp(`(?<!\\p{L})(?:hiçbir|yok|kalmadı|tümü|hepsi|tüm)(?!\\p{L})|${ASKS}`, "iu"),
  },
  {
    title: "Chinese",
    example: "先到这里，剩下的文件还没有改。",
    left: parts(
      "(?:还|尚|仍)(?:没有?|未)(?:完成|做完|写完|实现|修改|改完|改|更新|迁移|处理|完)|(?:尚未|仍未|未能)(?:全部)?(?:完成|实现|迁移|修改)|未完(?:成|待续)|(?:还|仍)(?:剩|需|有待|差|缺)|還(?:沒有?|未)(?:完成|做完|實作|修改|更新)|剩(?:下|余|餘)的?.{0,20}(?:没|沒|未|待|需要|要)|(?:先|暂时|暫時)(?:到这里|到這裡|停在这里|停在這裡|停下|做到这里)|只完成了|部分(?:完成|实现)|待(?:办|辦)(?:事项)?[:：]|待续",
    ),
    next: parts(
      "(?:接下来|接下來|然后|下一步|稍后|随后)(?:，|,)?\\s*我(?:会|將|将|要)|我(?:会|将|將)(?:继续|繼續|接着)",
    ),
    none: parts(
      `(?:没有|沒有|没|無|无)(?:任何)?(?:剩余|剩下|遗留|未完成|待办|其他|需要)|全部(?:已)?(?:完成|更新)|(?:已经|都已|均已)(?:全部)?(?:完成|更新|处理|实现)|如果|之前|${ASKS}|吗[。？?]?$`,
    ),
  },
  {
    title: "Japanese",
    example: "今日はここまでにします。残りはまだ終わっていません。",
    left: parts(
      "まだ.{0,30}(?:ません|ない|未|残って|必要)|未(?:完了|実装|対応|完成|着手)|(?:途中|やりかけ)(?:です|で|の)|(?:一旦|いったん|今日は|今回は|ひとまず)(?:ここまで|ここで)|残り.{0,20}(?:です|あります|必要|未|後で|これから)|残って(?:い|お)|(?:終わって|完了して|できて)(?:い(?:ません|ない)|おりません)|部分的に(?:実装|完了|対応)|つづく",
    ),
    next: parts("(?:次に|続いて|これから|このあと).{0,30}(?:ます|予定)|続け(?:ます|ていきます)"),
    none: parts(
      `残り(?:の[^、。]{1,6})?[はもが]?(?:もう|何も)?(?:ありません|ない)|残って(?:いません|おりません|いない)|(?:未完了|未実装|未対応).{0,6}(?:ありません|なし|ゼロ)|(?:すべて|全て|全部).{0,20}(?:完了|終わり|終了)(?:し|です)|(?:場合|もし|なら|以前)|${ASKS}|か。$`,
    ),
  },
  {
    title: "Korean",
    example: "오늘은 여기까지 하겠습니다. 나머지는 아직 남아 있습니다.",
    left: parts(
      "아직.{0,30}(?:않았|못했|남아|남았|안 |미완|필요)|미완(?:성|료)|(?:완료|완성|구현|수정)(?:하지|되지) (?:않았|못했)|(?:일단|오늘은|우선) ?여기(?:까지|서)|(?:남아 ?있|남았습니다|남은 (?:작업|파일|단계)[은는이가]?)|부분적으로 (?:완료|구현)|(?:해야|하여야) (?:합니다|할)",
    ),
    next: parts("(?:다음으로|이제|이어서|그다음).{0,30}(?:겠습니다|하겠|예정)|계속(?:하겠|할 예정)"),
    none: parts(
      `남(?:은|아).{0,14}(?:없|않)|(?:모두|전부|모든).{0,20}(?:완료|끝났|마쳤)|(?:만약|하면|경우)|${ASKS}|까요[.?]?$`,
    ),
  },
];
