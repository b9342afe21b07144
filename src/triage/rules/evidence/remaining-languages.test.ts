/** What agents say last in the languages of their users: what is left, what is next, and what only sounds so. */
import { describe, expect, it } from "vitest";
import { REMAINING_LANGUAGES } from "./remaining-languages.ts";
import { remainingWords } from "./remaining-words.ts";

const LEFT = [
  "Die Migration ist noch nicht fertig.",
  "Drei Dateien stehen noch aus.",
  "Es fehlen noch die Tests.",
  "Ich konnte den zweiten Teil nicht mehr abschließen.",
  "La migration n'est pas encore terminée.",
  "Il reste à mettre à jour les appels.",
  "Il manque encore les tests.",
  "La migración todavía no está terminada.",
  "Faltan por actualizar tres archivos.",
  "Quedan pendientes las pruebas.",
  "A migração ainda não está concluída.",
  "Ainda faltam os testes.",
  "La migrazione non è ancora completa.",
  "Restano da aggiornare tre file.",
  "De migratie is nog niet klaar.",
  "De tests moeten nog geschreven worden.",
  "Migracja nie jest jeszcze ukończona.",
  "Pozostały do zmiany trzy pliki.",
  "Миграция ещё не завершена.",
  "Осталось обновить три файла.",
  "Нужно ещё написать тесты.",
  "Geçiş henüz tamamlanmadı.",
  "迁移还没有完成。",
  "还剩三个文件需要修改。",
  "測試還沒有完成。",
  "移行はまだ完了していません。",
  "テストは未実装です。",
  "마이그레이션은 아직 완료되지 않았습니다.",
  "남은 작업은 테스트입니다.",
];
const NEXT = [
  "Als nächstes werde ich die Aufrufer anpassen.",
  "Ensuite, je mettrai à jour les appels.",
  "A continuación, voy a actualizar los archivos.",
  "Em seguida, vou atualizar os arquivos.",
  "Poi aggiornerò i file.",
  "Далее я обновлю вызовы.",
  "接下来，我会更新调用方。",
  "次に呼び出し側を更新します。",
  "이제 호출하는 쪽을 수정하겠습니다.",
];
const NONE = [
  "Es bleibt nichts mehr zu tun.",
  "Alles ist fertig, keine Datei fehlt noch.",
  "Es sind keine TODOs mehr offen.",
  "Fertig. Alle Tests laufen durch.",
  "Fehlt noch etwas?",
  "Il ne reste rien à faire.",
  "Tout est terminé, aucun test ne manque.",
  "Terminé. Tous les tests passent.",
  "No queda nada por hacer.",
  "Todo está terminado, no falta ningún archivo.",
  "Listo. Todas las pruebas pasan.",
  "Não falta nada.",
  "Tudo concluído, nenhum teste pendente.",
  "Pronto. Todos os testes passam.",
  "Non resta nulla da fare.",
  "Fatto. Tutti i test passano.",
  "Er is niets meer te doen.",
  "Klaar. Alle tests slagen.",
  "Nic nie zostało do zrobienia.",
  "Gotowe. Wszystkie testy przechodzą.",
  "Ничего не осталось сделать.",
  "Готово. Все тесты проходят.",
  "API осталось прежним.",
  "Yapılacak hiçbir şey kalmadı.",
  "没有剩余的工作。",
  "全部完成，所有测试通过。",
  "残りの作業はありません。",
  "すべて完了しました。",
  "남은 작업이 없습니다.",
  "모두 완료했습니다.",
  "Le nombre reste inchangé.",
  "Das Feld `rest` heißt jetzt `remaining`.",
];

describe("what an agent says last, in other languages", () => {
  it.each([...LEFT, ...REMAINING_LANGUAGES.map(({ example }) => example)])(
    "says that something is not done: %s",
    (text) => {
      expect(remainingWords(`OK.\n\n${text}`)?.kind).toBe("left");
    },
  );
  it.each(NEXT)("says what it will do now: %s", (text) => {
    expect(remainingWords(text)?.kind).toBe("next");
  });
  it.each(NONE)("says nothing of the kind: %s", (text) => {
    expect(remainingWords(text)).toBeNull();
  });
  it("is quoted by its own sentence alone, also where nothing stands between sentences", () => {
    expect(remainingWords("测试通过。还剩三个文件需要修改。")?.sentence).toBe("还剩三个文件需要修改。");
  });
});
