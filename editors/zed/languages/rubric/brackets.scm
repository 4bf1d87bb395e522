("{" @open "}" @close)
("(" @open ")" @close)
("[" @open "]" @close)
(placeholder "{{" @open "}}" @close)
